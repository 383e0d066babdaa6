import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort, LocalStartError } from '../ports.ts';
import { openPrivateFile } from '../private-files.ts';

/** The endpoint and the credentials of a DynamoDB engine. */
export interface DynamoDbEndpoint {
  endpoint: string;
  region: string;
  credentials: { accessKeyId: string; secretAccessKey: string };
}

export interface DynamoDbEngine extends DynamoDbEndpoint {
  /** Resolves when the engine's process has ended, for any reason. */
  ended: Promise<void>;
  /** Ends the engine. Resolves when its process has ended. */
  close(): Promise<void>;
}

interface EngineOptions {
  directory?: string | undefined;
  javaHome?: string | undefined;
  /** Returns a port that is probably free. Another process may take the port before the engine starts. */
  findPort?: () => Promise<number>;
}

interface Launch {
  java: string;
  emulator: string;
  directory: string | undefined;
}

const launchesMax = 5;
const startTimeoutMs = 60_000;
const closeTimeoutMs = 5000;

/**
 * Starts DynamoDB Local as a child process on a free port of 127.0.0.1. Without `directory`, its data is in memory.
 * With `directory`, the table, its stream, and the access key ID are stored in this folder.
 *
 * @throws LocalStartError when Java is missing or too old, or when the engine does not start
 */
export async function startDynamoDbEngine(options: EngineOptions = {}): Promise<DynamoDbEngine> {
  const { findPort = findFreePort } = options;
  const java = await findJava(options);
  const accessKeyId = await loadAccessKeyId(options.directory);
  const manifest = createRequire(import.meta.url).resolve('amplify-dynamodb-simulator/package.json');
  const launch = { java, emulator: path.join(path.dirname(manifest), 'emulator'), directory: options.directory };
  for (let attempt = 1; attempt <= launchesMax; attempt += 1) {
    const running = await startOn(await findPort(), launch);
    if (running === 'port taken') continue;
    const credentials = { accessKeyId, secretAccessKey: 'unchecked' };
    return { ...running, region: 'us-east-1', credentials };
  }
  throw new LocalStartError('The local database found no free port to listen on: end some programs and start again.');
}

async function startOn(
  port: number,
  launch: Launch,
): Promise<Pick<DynamoDbEngine, 'endpoint' | 'ended' | 'close'> | 'port taken'> {
  const origin = `http://${randomBytes(12).toString('hex')}.invalid`;
  const keeper = spawnKeeper(launch, port, origin);
  const said = collectOutput(keeper);
  const { promise: ended, resolve: reportEnd } = Promise.withResolvers<void>();
  keeper.once('exit', (_code, signal) => {
    // If a signal ended the keeper process, it could not end the engine. End both processes here.
    if (signal !== null) killGroup(keeper);
    reportEnd();
  });
  keeper.once('error', () => reportEnd());
  const close = () => end(keeper, ended);

  const endpoint = `http://127.0.0.1:${port}`;
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline && isRunning(keeper)) {
    if (await isOurs(endpoint, origin)) return { endpoint, ended, close };
    // The engine does not exit when another process uses its port, so look for this message.
    if (said().includes('Failed to bind')) {
      await close();
      return 'port taken';
    }
    await wait(25);
  }
  await close();
  const reason = said().trim().split('\n').at(-1);
  throw new LocalStartError(
    `The local database did not start${reason ? ` (its output: ${reason.slice(0, 300)})` : ''}: free some memory and start again.`,
  );
}

function spawnKeeper({ java, emulator, directory }: Launch, port: number, origin: string): ChildProcess {
  const keeper = fileURLToPath(new URL('./engine-keeper.ts', import.meta.url));
  const jvm = [
    `-Djava.library.path=${path.join(emulator, 'DynamoDBLocal_lib')}`,
    '-XX:TieredStopAtLevel=1',
    '-XX:+UseSerialGC',
    // Items in memory are outside this heap, and take about three times their size there. The heap contains requests
    // and responses only.
    '-Xmx512m',
  ];
  const storage = directory === undefined ? ['-inMemory'] : ['-dbPath', path.resolve(directory)];
  // `isOurs` recognizes this engine by its allowed CORS origin. The origin also prevents web pages from using the
  // engine.
  const engine = ['-jar', 'DynamoDBLocal.jar', '-port', String(port), ...storage, '-disableTelemetry', '-cors', origin];
  return spawn(process.execPath, [keeper, java, ...jvm, ...engine], {
    cwd: emulator,
    stdio: ['pipe', 'pipe', 'pipe'],
    // Give the engine its own process group, so that Ctrl-C in a terminal reaches only this process. This process needs
    // the engine until its own end.
    detached: true,
    windowsHide: true,
  });
}

/**
 * Collects the last part of the engine's output. If no process read the output, the pipe would fill up and block the
 * engine.
 */
function collectOutput(keeper: ChildProcess): () => string {
  let text = '';
  const add = (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-16_384);
  };
  keeper.stdout?.on('data', add);
  keeper.stderr?.on('data', add);
  return () => text;
}

/**
 * Returns true if the engine at this endpoint is the one that this process started. Another engine may have taken the
 * port. It would answer in the same way, but with another allowed origin.
 */
async function isOurs(endpoint: string, origin: string): Promise<boolean> {
  try {
    const answer = await fetch(endpoint, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'POST' },
      signal: AbortSignal.timeout(2000),
    });
    await answer.arrayBuffer();
    return answer.headers.get('access-control-allow-origin') === origin;
  } catch {
    return false;
  }
}

function isRunning(keeper: ChildProcess): boolean {
  return keeper.pid !== undefined && keeper.exitCode === null && keeper.signalCode === null;
}

async function end(keeper: ChildProcess, ended: Promise<void>): Promise<void> {
  keeper.stdin?.destroy();
  const timer = setTimeout(() => killGroup(keeper), closeTimeoutMs);
  await ended;
  clearTimeout(timer);
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    // Windows has no process groups, so end only the single process.
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // Ignore the error, because the process group has already ended.
  }
}

/**
 * Returns the access key ID of the engine. It is created at the first start.
 * The engine has a separate database for each access key ID and listens on all network interfaces. Only a secret ID
 * keeps others in the network from reading the data. The ID is random and is stored beside the data. It has only
 * letters and digits, because the engine accepts no other characters.
 */
async function loadAccessKeyId(directory: string | undefined): Promise<string> {
  const create = () => randomBytes(20).toString('hex');
  const stored = await openPrivateFile({ directory, name: 'engine-access-key', create });
  if (/^[0-9A-Za-z]{20,64}$/.test(stored)) return stored;
  const sentence = `${directory}/engine-access-key does not hold an access key: restore it, or remove the folder to start empty.`;
  throw new LocalStartError(sentence);
}

const javaVersionMin = 17;

const remedy =
  'install one with "sudo apt-get install default-jre-headless" (Debian), "brew install --cask temurin" (macOS) or ' +
  '"winget install EclipseAdoptium.Temurin.21.JRE" (Windows), then start again.';

/**
 * Returns the command that runs Java.
 *
 * @param javaHome a folder that contains `bin/java`; without it, `java` on the search path is used
 * @throws LocalStartError when Java is missing or older than 17
 */
export async function findJava({ javaHome }: { javaHome?: string | undefined } = {}): Promise<string> {
  const command = javaHome === undefined ? 'java' : path.join(javaHome, 'bin', 'java');
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  execFile(command, ['-version'], { timeout: 20_000, windowsHide: true }, (error, stdout, stderr) =>
    // On macOS, the command `java` exists even without Java. It prints where to get Java, and fails.
    resolve(error === null ? `${stderr}\n${stdout}` : undefined),
  );
  const output = await promise;
  if (output === undefined) {
    throw new LocalStartError(`The local database needs Java ${javaVersionMin} or later and found none: ${remedy}`);
  }
  const version = parseJavaVersion(output);
  if (version === undefined || version < javaVersionMin) {
    const found = version === undefined ? 'a Java without a readable version' : `Java ${version}`;
    throw new LocalStartError(`The local database needs Java ${javaVersionMin} or later and found ${found}: ${remedy}`);
  }
  return command;
}

/** Returns the major version in the output of `java -version`: 8 for `1.8.0_392`, 17 for `17.0.15`, 26 for `26-ea`. */
export function parseJavaVersion(output: string): number | undefined {
  const match = /\bversion "(?:1\.)?(\d+)/.exec(output);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}
