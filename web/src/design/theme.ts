/** The colour theme: light, dark, or that of the system. */

import { useEffect } from "react";
import { useMediaQuery } from "./media";
import { usePreference } from "./preferences";

export type ThemeChoice = "light" | "dark" | "system";
export type Theme = "light" | "dark";

export function useTheme(): {
  theme: Theme;
  choice: ThemeChoice;
  choose: (c: ThemeChoice) => void;
} {
  const [stored, store] = usePreference("theme");
  const systemIsDark = useMediaQuery("(prefers-color-scheme: dark)");
  const choice: ThemeChoice = stored === "light" || stored === "dark" ? stored : "system";
  const theme = choice === "system" ? (systemIsDark ? "dark" : "light") : choice;
  return { theme, choice, choose: (next) => store(next === "system" ? null : next) };
}

/** Apply the theme to the document, where the style sheets read it. Used once, by the shell. */
export function useThemeOnPage() {
  const { theme } = useTheme();
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
}
