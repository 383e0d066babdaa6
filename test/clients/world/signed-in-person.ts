import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ClientWorld } from './client-world.ts';
import { findClient } from './installed-client.ts';

export const credentialsScript = path.resolve('docs/clients/sluice-credentials.py');
export const python = findClient('Python', ['/usr/bin/python3'], { versionMin: '3.8' });

/** Moves the time of every program in Python, the script among them, by what a file says. */
const movedClock = `
import datetime, os, time
ahead = lambda: float(open(os.environ["TEST_CLOCK"]).read())
machine = time.time
time.time = lambda: machine() + ahead()
class Moved(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return super().now(tz) + datetime.timedelta(seconds=ahead())
    @classmethod
    def utcnow(cls):
        return super().utcnow() + datetime.timedelta(seconds=ahead())
datetime.datetime = Moved
`;

import { loader } from '../../service/loader.ts';

/** The machine of a person whose tools ask `sluice-credentials.py`. */
export interface PersonalMachine {
  /** The arguments of the script, for the account `ada`. */
  given: readonly string[];
  /** What tools and script have in their environment: a profile, a browser that signs `ada` in, a clock. */
  settings: Readonly<Record<string, string>>;
  /** Moves the time of the service and of this machine to so many seconds after the start. */
  moveTo(seconds: number): Promise<void>;
}

export async function preparePerson(world: ClientWorld): Promise<PersonalMachine> {
  const { issuer, data_client_id } = world.service.identity.people;
  const given = ['--issuer', issuer, '--client-id', data_client_id, '--data-url', world.dataUrl, '--account', 'ada'];
  const [clock, moved, config] = ['clock', 'moved', 'person-config'].map((name) => path.join(world.folder, name)) as [
    string,
    string,
    string,
  ];
  await mkdir(moved);
  await writeFile(path.join(moved, 'sitecustomize.py'), movedClock);
  await writeFile(clock, '0');
  await writeFile(
    config,
    `[profile person]\nregion = us-east-1\ncredential_process = /usr/bin/python3 ${credentialsScript} ${given.join(' ')}\nservices = sluice\n` +
      `[services sluice]\ns3 =\n  endpoint_url = ${world.dataUrl}\n`,
  );
  return {
    given,
    settings: {
      HOME: world.folder,
      PYTHONPATH: moved,
      TEST_CLOCK: clock,
      BROWSER: clicker('ada'),
      AWS_CONFIG_FILE: config,
      AWS_PROFILE: 'person',
    },
    moveTo: async (seconds) => {
      world.service.advance(seconds - Number(await readFile(clock, 'utf8')));
      await writeFile(clock, String(seconds));
    },
  };
}

/** A browser in which somebody clicks on this person, and which then shows where that led. */
export function clicker(sub: string): string {
  return `${[process.execPath, ...loader, path.resolve('test/clients/world/click-through.ts'), sub].join(' ')} %s`;
}

/** The file of the script below a state folder. */
export async function keptIn(state: string): Promise<{ path: string; text: string }> {
  const folder = path.join(state, 'sluice');
  const [file = ''] = (await readdir(folder)).filter((name) => name.endsWith('.json'));
  return { path: path.join(folder, file), text: await readFile(path.join(folder, file), 'utf8') };
}

/** Every text in it that is a secret: all but when credentials end, and which version of the form they have. */
export async function secretsIn(state: string): Promise<string[]> {
  const { refresh_token, credentials } = JSON.parse((await keptIn(state)).text) as {
    refresh_token: string;
    credentials: Record<string, Record<string, string>>;
  };
  const ofCredentials = Object.values(credentials).flatMap(({ Version: _, Expiration: __, ...rest }) =>
    Object.values(rest),
  );
  return [refresh_token, ...ofCredentials];
}

/** The variables that `--shell` sets. */
export function exportedBy(lines: string): Record<string, string> {
  return Object.fromEntries(
    [...lines.matchAll(/^export (\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );
}

/** A run of the script that waits for the browser, which opens nothing. */
export interface WaitingSignIn {
  /** What the browser was given. */
  url: URL;
  /** Where the answer is waited for. */
  callback: URL;
  /** Settles when the script has ended. */
  ended: Promise<{ status: number; stdout: string; stderr: string }>;
}

export async function beginSignIn(args: readonly string[], settings: Record<string, string>): Promise<WaitingSignIn> {
  const running = python.start([credentialsScript, ...args], { ...settings, BROWSER: '/bin/true' });
  let stdout = '';
  let stderr = '';
  const opened = Promise.withResolvers<URL>();
  running.stdout.on('data', (text) => {
    stdout += text;
  });
  running.stderr.on('data', (text) => {
    stderr += text;
    const url = /^http\S+$/m.exec(stderr);
    if (url !== null) opened.resolve(new URL(url[0]));
  });
  const ended = once(running, 'close').then(([status]) => ({ status, stdout, stderr }));
  ended.then(({ stderr }) => opened.reject(new Error(stderr)));
  const url = await opened.promise;
  return { url, callback: new URL(url.searchParams.get('redirect_uri') ?? ''), ended };
}

/** What a program wrote to stderr before it failed. */
export async function refusalOf(run: Promise<unknown>): Promise<string> {
  return run.then(
    () => 'it did not fail',
    (error: { stderr: Buffer }) => error.stderr.toString(),
  );
}
