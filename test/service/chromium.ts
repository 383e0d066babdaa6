import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Usual paths of Chromium, in the order in which they are tried. */
export const pathsOfChromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Path of the installed Chromium, or undefined. */
export const chromiumPath = pathsOfChromium.find((path) => existsSync(path));

/** Time for a browser to start on a busy machine. The default of the drivers is 30 seconds. */
export const launchTimeoutMs = 100_000;

export function launchChromium(): Promise<Browser> {
  const args = ['--no-sandbox', '--disable-gpu'];
  return chromium.launch({ executablePath: chromiumPath ?? '', args, timeout: launchTimeoutMs });
}
