import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

/** Where the Python package serves the app from, and the wheel ships it. */
const BUILT = fileURLToPath(new URL("../src/paddock/web_dist", import.meta.url));

/** `npm run dev` shows the app on a port of its own; the zoo behind it is `paddock up`. */
const ZOO = process.env.PADDOCK_URL ?? "http://127.0.0.1:3912";

export default defineConfig({
  plugins: [react()],
  build: {
    outDir: BUILT,
    emptyOutDir: true,
    target: "es2022",
    // Every asset is a file: a page with a strict content security policy allows no `data:` addresses.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
  },
  server: { proxy: { "/api": ZOO, "/mcp": ZOO } },
  preview: { proxy: { "/api": ZOO, "/mcp": ZOO } },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/testing/setup.ts"],
    restoreMocks: true,
    unstubGlobals: true,
  },
});
