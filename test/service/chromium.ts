import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';

/** Usual paths of Chromium, in the order in which they are tried. */
export const pathsOfChromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Path of the installed Chromium, or undefined. */
export const chromiumPath = pathsOfChromium.find((path) => existsSync(path));

/** The time that a browser gets to start on a busy machine. The default of the drivers is 30 seconds. */
export const launchTimeoutMs = 100_000;

export function startChromium(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
  return chromium.launch({ executablePath: chromiumPath ?? '', args, timeout: launchTimeoutMs });
}

let shared: Promise<Browser> | undefined;

/** Returns the browser of this worker, which ends with the worker. `close` closes only the contexts of this caller. */
export async function launchChromium(): Promise<Browser> {
  shared ??= startChromium().then((browser) =>
    browser.on('disconnected', () => {
      shared = undefined;
    }),
  );
  const browser = await shared;
  const contexts = new Set<BrowserContext>();
  const newContext: Browser['newContext'] = async (options) => {
    const context = await browser.newContext(options);
    contexts.add(context);
    return context.on('close', () => contexts.delete(context));
  };
  return Object.assign(Object.create(browser) as Browser, {
    newContext,
    newPage: async (options: Parameters<Browser['newPage']>[0]) => (await newContext(options)).newPage(),
    close: async () => {
      await Promise.all([...contexts].map((context) => context.close()));
    },
  });
}
