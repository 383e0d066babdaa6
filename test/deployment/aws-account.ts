import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';

const python = path.resolve('.clients/emulator/bin/python');
export const isEmulatorMissing = !existsSync(python);

/** An emulated AWS account that is bootstrapped for the CDK in both regions. */
export interface AwsAccount {
  port: number;
  /** Calls a service with an unsigned request, and returns the text of its response. */
  call(service: string, region: string, options: { path?: string; target?: string; body?: string }): Promise<string>;
  /** Runs the CDK command line and returns its output. The output of a failure is in the error. */
  cdk(...args: string[]): Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts emulator.py in a separate process, on a free port.
 *
 * @param folder holds the caches of the CDK command line
 */
export async function startAwsAccount(folder: string): Promise<AwsAccount> {
  const server = spawn(python, [path.resolve('test/deployment/emulator.py')], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(server, 'exit');
  const port = await readPort(server.stderr);
  const url = `http://127.0.0.1:${port}`;
  // Synthesis installs a native module with npm, which needs the settings of this machine.
  const npmSettings = Object.entries(process.env).filter(([name]) =>
    /^(?:npm_config_|NODE_EXTRA_CA_CERTS$)/.test(name),
  );
  const env = {
    ...Object.fromEntries(npmSettings),
    // The CDK app must run with the Node version of this test.
    PATH: `${path.dirname(process.execPath)}:${process.env['PATH']}`,
    HOME: folder,
    AWS_ENDPOINT_URL: url,
    AWS_ACCESS_KEY_ID: 'emulated',
    AWS_SECRET_ACCESS_KEY: 'emulated',
    AWS_REGION: 'eu-west-1',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    CDK_DISABLE_VERSION_CHECK: 'true',
  };
  return {
    port,
    async call(service, region, { path: at = '/', target, body }) {
      const credential = `emulated/20261127/${region}/${service}/aws4_request`;
      const headers = {
        authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=0`,
        ...(target === undefined ? {} : { 'x-amz-target': target }),
      };
      const type = target === undefined ? 'application/x-www-form-urlencoded' : 'application/x-amz-json-1.0';
      // The moto server finds no service for a GET with a content type.
      const sent =
        body === undefined ? { headers } : { method: 'POST', headers: { ...headers, 'content-type': type }, body };
      const response = await fetch(`${url}${at}`, sent);
      return response.text();
    },
    async cdk(...args) {
      const always = ['--no-notices', '--no-color', '--ci', '--yes'];
      const child = spawn(process.execPath, ['node_modules/.bin/cdk', ...args, ...always], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const [[code], output, errors] = await Promise.all([once(child, 'exit'), text(child.stdout), text(child.stderr)]);
      if (code !== 0) throw new Error(`cdk ${args.join(' ')} ended with ${code}:\n${errors}\n${output}`);
      return output;
    },
    async close() {
      server.kill('SIGKILL');
      await ended;
    },
  };
}

async function readPort(log: NodeJS.ReadableStream): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const lines: string[] = [];
  // Read the log to its end, because the server would wait if the pipe is full.
  createInterface(log)
    .on('line', (line) => {
      lines.push(line);
      const port = /Running on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
      if (port !== undefined) resolve(Number(port));
    })
    .on('close', () => reject(new Error(`the emulator ended:\n${lines.slice(-20).join('\n')}`)));
  return promise;
}
