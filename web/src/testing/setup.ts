/** Browser features that the app uses and jsdom lacks. */

import { cleanup } from "@testing-library/react";
import { afterEach } from "vitest";

window.matchMedia = (query: string) =>
  ({
    matches: query.includes("prefers-reduced-motion"),
    media: query,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }) as unknown as MediaQueryList;

window.ResizeObserver = class {
  observe() {}
  unobserve() {}
  disconnect() {}
};

// Nothing is painted in jsdom; what a canvas shows is looked at in a browser.
HTMLCanvasElement.prototype.getContext = () => null;

Element.prototype.scrollIntoView = () => undefined;
Element.prototype.hasPointerCapture = () => false;

afterEach(() => {
  cleanup();
  localStorage.clear();
});
