import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Where Debian and others put Chromium, in the order in which they are tried. */
export const pathsOfChromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where Chromium is; undefined where there is none. */
export const chromiumPath = pathsOfChromium.find((path) => existsSync(path));

/** So long may a browser take to start, on a machine that has much else to do: the drivers give it half a minute. */
export const launchTimeoutMs = 100_000;

export function launchChromium(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu'];
  return chromium.launch({ executablePath: chromiumPath ?? '', args, timeout: launchTimeoutMs });
}
