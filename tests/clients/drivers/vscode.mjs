// Has Visual Studio Code, behind code-server, start an MCP server, and prints the status it shows.
//
// `node vscode.mjs PACKAGES BROWSER FOLDER NAME…` opens the folder, then looks each server up in
// the list of servers, starts it and prints its log. The settings are those of a desktop
// installation, in ~/.config/Code/User.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [packages, browserPackages, folder, ...names] = process.argv.slice(2);
const PATIENCE = 60_000;
const ATTEMPTS = 3;
const STARTING = (name) => new RegExp(`Starting.server.${name}`);
const OVER = /Discovered.\d+.tools|state:.Error/;

async function startCode() {
  const code = spawn(process.execPath, [
    join(packages, "code-server"),
    "--auth=none",
    "--bind-addr=127.0.0.1:0",
    "--disable-telemetry",
    "--disable-update-check",
    "--disable-workspace-trust",
    `--user-data-dir=${join(homedir(), ".config", "Code")}`,
    folder,
  ], { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: code.stdout })) {
    const address = line.match(/HTTP server listening on (\S+)/);
    if (address) return { code, url: address[1] };
  }
  throw new Error("code-server has ended before it listened");
}

async function startBrowser() {
  const { chromium: playwright } = createRequire(join(browserPackages, "x.js"))("playwright-core");
  const module = join(browserPackages, "@sparticuz", "chromium", "build", "index.js");
  const { default: chromium } = await import(pathToFileURL(module));
  const executablePath = await chromium.executablePath();
  return playwright.launch({ executablePath, args: chromium.args, headless: true });
}

function rows(page, text) {
  return page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first();
}

async function run(page, command) {
  await page.keyboard.press("Escape");
  await page.keyboard.press("F1");
  const input = page.locator(".quick-input-widget input[type=text]").first();
  await input.waitFor({ timeout: PATIENCE });
  await input.fill(`>${command}`);
  await rows(page, command).click({ timeout: PATIENCE });
}

// Starting a server opens its log, which says how that went. While Code still collects servers from
// elsewhere it may forget the setting, so it is set again.
async function start(page, name) {
  for (let attempt = 1; ; attempt++) {
    await run(page, "MCP: List Servers");
    await rows(page, name).click({ timeout: PATIENCE });
    await rows(page, /^(Start|Restart) Server/).click({ timeout: PATIENCE });
    try {
      return await outcome(page, name);
    } catch (error) {
      if (attempt === ATTEMPTS) throw error;
    }
  }
}

async function outcome(page, name) {
  // Its lines are in no particular order.
  const log = page.locator(".part.panel .view-lines", { hasText: STARTING(name) })
    .filter({ hasText: OVER });
  // It asks about servers that another application's file names.
  const trust = page.locator(".monaco-dialog-box .monaco-button", { hasText: /^Trust$/ });
  await log.or(trust).first().waitFor({ timeout: PATIENCE / ATTEMPTS });
  if (await trust.isVisible()) await trust.click();
  await log.waitFor({ timeout: PATIENCE / ATTEMPTS });
  return (await log.innerText()).replaceAll("\u00a0", " ");
}

const { code, url } = await startCode();
const browser = await startBrowser();
try {
  // High enough for the whole log: lines that cannot be seen are not there.
  const page = await browser.newPage({ viewport: { width: 1600, height: 2000 } });
  await page.goto(`${url}?folder=${encodeURIComponent(folder)}`);
  await page.locator(".monaco-workbench").waitFor({ timeout: PATIENCE });
  for (const name of names) {
    console.log(await start(page, name).catch(async (error) => {
      throw new Error(`${error}; on the screen: ${await page.locator("body").innerText()}`);
    }));
  }
} finally {
  await browser.close();
  code.kill();
  await once(code, "exit");
}
