import { existsSync } from 'node:fs';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { launchTimeoutMs, pathsOfChromium } from './chromium.ts';

/** The browsers of the tests. One library drives both, because Debian's Firefox supports only WebDriver BiDi. */
const known = [
  {
    name: 'Chromium',
    kind: 'chrome',
    paths: pathsOfChromium,
  },
  { name: 'Firefox', kind: 'firefox', paths: ['/usr/bin/firefox-esr', '/usr/bin/firefox'] },
] as const;

export interface InstalledBrowser {
  name: string;
  kind: 'chrome' | 'firefox';
  executablePath: string;
}

export const installedBrowsers: readonly InstalledBrowser[] = known.flatMap(({ name, kind, paths }) => {
  const executablePath = paths.find((path) => existsSync(path));
  return executablePath === undefined ? [] : [{ name, kind, executablePath }];
});

export interface Look {
  colours?: 'light' | 'dark';
  hasScripts?: boolean;
  /** Enables `dropInFirefox`, which acts with the rights of the browser itself. Works only in Firefox. */
  maySeeFolders?: boolean;
}

export interface OpenBrowser {
  /** Opens a page. A fresh one shares no storage and no cache with others. Close its context after use. */
  newPage(size?: { width: number; height?: number; isFresh?: boolean }): Promise<Page>;
  close(): Promise<void>;
}

/** Opens a browser with fixed settings. Chromium accepts them for each page, Firefox only at its start. */
export async function openBrowser(
  { kind, executablePath }: InstalledBrowser,
  { colours = 'light', hasScripts = true, maySeeFolders = false }: Look = {},
): Promise<OpenBrowser> {
  const browser: Browser = await puppeteer.launch({
    browser: kind,
    executablePath,
    headless: true,
    timeout: launchTimeoutMs,
    args: kind === 'chrome' ? ['--no-sandbox', '--disable-gpu'] : maySeeFolders ? ['--remote-allow-system-access'] : [],
    extraPrefsFirefox: {
      'layout.css.prefers-color-scheme.content-override': colours === 'dark' ? 0 : 1,
      'javascript.enabled': hasScripts,
      // When a user drops a folder, Firefox gives the page access to it. No user does so in a test.
      'dom.filesystem.pathcheck.disabled': maySeeFolders,
    },
  });
  return {
    async newPage({ width, height = 800, isFresh = false } = { width: 1280 }) {
      const page = await (isFresh ? await browser.createBrowserContext() : browser).newPage();
      await page.setViewport({ width, height });
      if (kind === 'chrome') {
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: colours }]);
        await page.setJavaScriptEnabled(hasScripts);
      }
      return page;
    },
    close: () => browser.close(),
  };
}

/** WebDriver BiDi commands to Firefox for which the library has no methods. */
interface BidiConnection {
  send(method: string, parameters: object): Promise<{ result: unknown }>;
}

/**
 * Drops a folder from the disk onto the page in front. No protocol can drop files in Firefox. Therefore, the browser
 * window creates a File of the folder, as it does for a user. It passes the File to the page's process, which fires the
 * event.
 */
export async function dropInFirefox(page: Page, folder: string): Promise<void> {
  const { connection } = page.browser() as Browser & { connection: BidiConnection };
  const tree = await connection.send('browsingContext.getTree', { 'moz:scope': 'chrome' });
  const [window] = (tree.result as { contexts: { context: string }[] }).contexts;
  await page.bringToFront();
  await connection.send('script.callFunction', {
    functionDeclaration: `async (path) => {
      const folder = Cc['@mozilla.org/file/local;1'].createInstance(Ci.nsIFile);
      folder.initWithPath(path);
      const file = await File.createFromNsIFile(folder, { existenceCheck: false });
      const { messageManager } = gBrowser.selectedBrowser;
      const inPage = () => addMessageListener('drop', ({ data }) => {
        const box = new Cu.Sandbox(content, { sandboxPrototype: content, wantXrays: false });
        box.file = Cu.cloneInto(data.file, box, { wrapReflectors: false });
        Cu.evalInSandbox(\`
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(file);
          document.body.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer }));
        \`, box);
        sendAsyncMessage('dropped');
      });
      const dropped = new Promise((resolve) => messageManager.addMessageListener('dropped', () => resolve()));
      messageManager.loadFrameScript('data:,(' + encodeURIComponent(inPage) + ')()', false);
      messageManager.sendAsyncMessage('drop', { file });
      await dropped;
    }`,
    awaitPromise: true,
    target: { context: window?.context },
    arguments: [{ type: 'string', value: folder }],
  });
}
