import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listenOnLoopback } from '../../lib/local/ports.ts';
import { seededUsers, seedNames } from '../../lib/local/seed.ts';
import { chromiumPath } from '../service/chromium.ts';
import { openBrowser, signInSource, startWebApp, type WebApp } from '../service/web-app.ts';
import { awsClis, readsEndpointSettings } from './fixtures/aws-cli.ts';
import { type ClientFixture, startClientFixture } from './fixtures/client-fixture.ts';
import { atUrls, documentedExample } from './fixtures/documented-example.ts';
import { findClient, type InstalledClient } from './fixtures/installed-client.ts';
import { writeLargeRaster } from './fixtures/large-raster.ts';
import { credentialsScript, exportedBy, prepareUser, python, secretsIn } from './fixtures/signed-in-user.ts';
import { bucket } from './fixtures/transfers.ts';

/** `SIGNED_IN_MIB=1024` tests the size that the documentation promises, and prints the time of each step. */
const asked = process.env['SIGNED_IN_MIB'];
const mebibytes = Number(asked ?? 24);
const timeoutMs = asked === undefined ? 180_000 : 3_600_000;

const aws = awsClis.find((each) => !each.isMissing && readsEndpointSettings(each));
const rclone = findClient('rclone', ['rclone'], { versionArgs: ['version'] });
const gdalinfo = findClient('GDAL', ['gdalinfo']);
const curl = findClient('curl', ['curl']);
const isWhole =
  aws !== undefined && chromiumPath !== undefined && ![python, rclone, gdalinfo, curl].some((each) => each.isMissing);

describe.skipIf(!isWhole)(
  'a user who signs in once in a browser and never sees a secret key',
  { timeout: timeoutMs },
  () => {
    let fixture: ClientFixture;
    let app: WebApp;
    let browser: Awaited<ReturnType<typeof openBrowser>>;
    /** Receives the URL that the command line opens, and shows it in the browser as a desktop does. */
    const desktop = createServer((request, response) => {
      response.end();
      const url = new URL(request.url ?? '', 'http://localhost').searchParams.get('url') ?? '';
      opened.push(url);
      browser.page
        .goto(url)
        .then(() => browser.page.click('text=Ada'))
        .catch((error: unknown) => failures.push(error));
    });
    const opened: string[] = [];
    const failures: unknown[] = [];
    /** All terminal output of the user's programs. */
    let terminal = '';
    let settings: Record<string, string>;
    let given: readonly string[];

    beforeAll(async () => {
      app = await startWebApp();
      fixture = await startClientFixture('http', { corsOrigins: [app.origin], users: seededUsers });
      browser = await openBrowser();
      const port = await listenOnLoopback(desktop, 0);
      const machine = await prepareUser(fixture);
      given = machine.given;
      await writeFile(path.join(fixture.folder, 'curl'), `silent\nget\nurl = "http://127.0.0.1:${port}/"\n`);
      settings = {
        ...machine.settings,
        // A colon would end the argument of the command.
        BROWSER: `curl --config ${path.join(fixture.folder, 'curl')} --data-urlencode url=%s`,
      };
    });
    afterAll(async () => {
      await browser?.close();
      app?.close();
      desktop.closeAllConnections();
      desktop.close();
      await fixture?.close();
    });

    /** Runs a program to its end as in a terminal, and returns its stdout. */
    async function inTerminal(client: InstalledClient, args: string[], env = settings): Promise<string> {
      const running = client.start(args, env);
      let output = '';
      let written = '';
      running.stdout.on('data', (text) => {
        output += text;
        written += text;
      });
      running.stderr.on('data', (text) => {
        written += text;
      });
      running.stdin.end();
      const [status] = await once(running, 'close');
      terminal += written;
      expect({ args, status, written: status === 0 ? '' : written }).toEqual({ args, status: 0, written: '' });
      return output;
    }

    async function step<T>(name: string, run: () => Promise<T>): Promise<T> {
      const begun = performance.now();
      const result = await run();
      if (asked !== undefined) console.log(`${name}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);
      return result;
    }

    test(`moves ${mebibytes} MiB with the AWS CLI, reads it with rclone and GDAL, and uploads from a page`, async () => {
      if (aws === undefined) throw new Error('this is skipped then');
      const file = path.join(fixture.folder, 'heights.tif');
      const digest = await step('writing the file', () => writeLargeRaster(file, mebibytes));
      const place = `${bucket}/raw-drafts/heights.tif`;
      const back = path.join(fixture.folder, 'back.tif');
      const hasCome = async () => {
        expect(await digestOf(back)).toBe(digest);
        await rm(back);
      };

      await step('aws s3 cp, up, with the sign-in', () => inTerminal(aws, ['s3', 'cp', file, `s3://${place}`]));
      await step('aws s3 cp, down', () => inTerminal(aws, ['s3', 'cp', `s3://${place}`, back]));
      await hasCome();

      const remote = ['--s3-provider', 'Other', '--s3-env-auth', '--s3-endpoint', fixture.dataUrl];
      const withConfig = { ...settings, AWS_SDK_LOAD_CONFIG: '1' };
      await step('rclone copyto', () => inTerminal(rclone, [...remote, 'copyto', `:s3:${place}`, back], withConfig));
      await hasCome();

      // The program's output goes to the shell, not to the screen.
      const shell = await python.run([credentialsScript, ...given, '--shell'], settings);
      const exported = exportedBy(shell);
      const gdal = {
        ...{ HOME: fixture.folder, ...exported, GDAL_PAM_ENABLED: 'NO' },
        ...{ AWS_S3_ENDPOINT: new URL(fixture.dataUrl).host, AWS_HTTPS: 'NO', AWS_VIRTUAL_HOSTING: 'FALSE' },
      };
      const checksum = async (raster: string) =>
        /Checksum=\d+/.exec(await inTerminal(gdalinfo, ['-checksum', raster], gdal))?.[0];
      const ofFile = await checksum(file);
      expect(await step('gdalinfo -checksum', () => checksum(`/vsis3/${place}`))).toBe(ofFile);
      expect(ofFile).toBeDefined();

      await step('a page', () => uploadFromPage());

      expect(failures).toEqual([]);
      expect(opened).toHaveLength(1);
      const secrets = await secretsIn(path.join(fixture.folder, '.local/state'));
      expect(secrets).toHaveLength(4);
      for (const secret of [...secrets, ...Object.values(exported)]) expect(terminal).not.toContain(secret);
    });

    /**
     * Uploads in the signed-in browser, with credentials for one repository, as the page about the repository
     * documents.
     */
    async function uploadFromPage(): Promise<void> {
      const { apiUrl, dataUrl, identity } = fixture.service;
      const winds = {
        repository_id: 'winds',
        data_mode: 'private',
        meta: { title: 'Winds', description: '', tags: '' },
        data_connection_id: seedNames.data_connection_id,
      };
      const ada = await fixture.service.user('ada');
      expect((await ada('POST', `/repositories/${bucket}`, winds)).status).toBe(201);

      const example = documentedExample('browsers.md', 'Uploading as a signed-in user', 'js').replace(
        /^import .*$/m,
        '',
      );
      const steps = atUrls(example, { apiUrl, dataUrl, identityUrl: identity.url });
      await app.serve(`import { AwsClient } from 'aws4fetch';
      ${signInSource('oauth4webapi', app.origin, identity.people)};
      window.upload = async ({ access_token: token }) => { ${steps}; window.data = data; return stored.status; };
      window.ask = async ([method, path, { bytes = 0, ...init } = {}]) => {
        const body = bytes > 0 ? new Uint8Array(bytes) : undefined;
        return (await data.fetch('${dataUrl}/${bucket}' + path, { method, body, ...init })).status;
      };`);
      const { page } = browser;
      await page.goto(`${app.origin}/`);
      // The browser is signed in already, so the issuer shows no sign-in page.
      await Promise.all([
        page.waitForURL(`${app.origin}/-/sign-in/callback?**`),
        page.evaluate('window.begin()').catch(() => undefined),
      ]);
      expect(await page.evaluate('window.finish().then(window.upload)')).toBe(200);

      const ask = (...request: unknown[]) => page.evaluate(`window.ask(${JSON.stringify(request)})`);
      expect(await ask('PUT', '/raw-drafts/from-a-page.bin', { bytes: 8 * 1024 * 1024 })).toBe(200);
      const copied = (from: string) => ({ headers: { 'x-amz-copy-source': `/${bucket}/${from}` } });
      expect(await ask('PUT', '/raw-drafts/copy.bin', copied('raw-drafts/from-a-page.bin'))).toBe(200);
      // These credentials do not allow access to the user's other repositories.
      for (const beyond of [
        ['PUT', '/winds/x.csv', { bytes: 1 }],
        ['PUT', '/tide-gauges/x.csv', { bytes: 1 }],
        ['PUT', '/winds/copy.bin', copied('raw-drafts/from-a-page.bin')],
        ['POST', '/winds/x.csv?uploads'],
        ['DELETE', '/tide-gauges/x.csv'],
        ['GET', '/winds/x.csv'],
        ['GET', '?list-type=2&prefix=winds%2F'],
      ]) {
        expect([...beyond, await ask(...beyond)]).toEqual([...beyond, 403]);
      }
    }
  },
);

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}
