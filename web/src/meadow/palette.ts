/** Colours of the meadow by day and by night. Names and other texts use the design tokens. */

import type { Theme } from "../design/theme";

export type Palette = {
  sky: readonly [string, string];
  light: string;
  lightHalo: string;
  hills: readonly [string, string, string];
  grass: readonly [string, string];
  clearing: string;
  /**
   * The same colour with full transparency: a gradient to plain `transparent` would pass through
   * black.
   */
  clearingEdge: string;
  blade: string;
  wood: string;
  woodDark: string;
  water: string;
  waterEdge: string;
  waterShine: string;
  lily: string;
  stone: string;
  stoneLight: string;
  crowns: readonly [string, string, ...string[]];
  crownLight: string;
  petals: readonly [string, string, ...string[]];
  shadow: string;
  mote: string;
  tag: string;
  tagInk: string;
  tagLine: string;
  glow: string;
  bubble: string;
  bubbleInk: string;
};

export const PALETTES: Record<Theme, Palette> = {
  light: {
    sky: ["#cfe8ee", "#fdf0d4"],
    light: "#fff4c4",
    lightHalo: "rgb(255 240 180 / 0.55)",
    hills: ["#b9d8b4", "#9fcb98", "#86bb7e"],
    grass: ["#94c67d", "#7ab56c"],
    clearing: "rgb(214 229 150 / 0.38)",
    clearingEdge: "rgb(214 229 150 / 0)",
    blade: "#62a05a",
    wood: "#d9a873",
    woodDark: "#b37f4e",
    water: "#8fcbdc",
    waterEdge: "#d9cf9f",
    waterShine: "rgb(255 255 255 / 0.5)",
    lily: "#5fa663",
    stone: "#b8b3a4",
    stoneLight: "#d3cfc2",
    crowns: ["#5da05f", "#74ae5b", "#4f9468"],
    crownLight: "rgb(255 255 220 / 0.2)",
    petals: ["#fff6e0", "#f7b7c4", "#f8cf6a", "#c9b5ee"],
    shadow: "rgb(40 70 30 / 0.22)",
    mote: "rgb(255 252 230 / 0.9)",
    tag: "rgb(255 253 246 / 0.94)",
    tagInk: "#352920",
    tagLine: "rgb(90 70 40 / 0.22)",
    glow: "#ffd25e",
    bubble: "#fffdf6",
    bubbleInk: "#5a4636",
  },
  dark: {
    sky: ["#1c1b33", "#4a3a58"],
    light: "#f6ecd0",
    lightHalo: "rgb(246 236 208 / 0.16)",
    hills: ["#33405a", "#2b3d4d", "#264440"],
    grass: ["#2c4f42", "#203b34"],
    clearing: "rgb(120 160 120 / 0.12)",
    clearingEdge: "rgb(120 160 120 / 0)",
    blade: "#3d6b54",
    wood: "#7c6250",
    woodDark: "#55423a",
    water: "#31506e",
    waterEdge: "#46594f",
    waterShine: "rgb(220 230 255 / 0.22)",
    lily: "#3f7058",
    stone: "#565665",
    stoneLight: "#6d6d7e",
    crowns: ["#2b5a49", "#35604a", "#264f4b"],
    crownLight: "rgb(200 220 255 / 0.07)",
    petals: ["#cfc8dc", "#a87a93", "#b79b5f", "#8f82b8"],
    shadow: "rgb(5 10 15 / 0.4)",
    mote: "rgb(255 226 130 / 0.95)",
    tag: "rgb(34 30 43 / 0.92)",
    tagInk: "#f4ecdd",
    tagLine: "rgb(240 230 255 / 0.2)",
    glow: "#ffcf66",
    bubble: "#38324a",
    bubbleInk: "#f4ecdd",
  },
};
