import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { AwsAccount } from './aws-account.ts';

interface TemplateResource {
  Properties: { FunctionName?: string };
  Metadata?: Record<string, string>;
}

interface DeployedFunction {
  bundle: string;
  /** The name of the function in the account. Functions of the edge have no fixed name, and no environment. */
  functionName: string | undefined;
}

interface Options {
  /** The folder of synthesized templates and bundles. */
  assembly: string;
  account: AwsAccount;
  homeRegion: string;
  /** Ports of local servers by the first label of an AWS host. */
  ports: Record<string, number>;
  accessKeyId: string;
}

/**
 * Runs deployed functions: the code from the cloud assembly, with the environment that CloudFormation gave the
 * function. The process of a function starts with its first event.
 */
export class DeployedFunctions {
  readonly #options: Options;
  readonly #functions = new Map<string, DeployedFunction>();
  readonly #processes = new Map<string, Promise<ChildProcess>>();
  #events = 0;

  constructor(options: Options) {
    this.#options = options;
    for (const file of readdirSync(options.assembly).filter((name) => name.endsWith('.template.json'))) {
      const template = JSON.parse(readFileSync(path.join(options.assembly, file), 'utf8'));
      for (const { Properties, Metadata = {} } of Object.values<TemplateResource>(template.Resources)) {
        // The construct ID is the name of the file below functions/.
        const [, name] = /([^/]+)\/Function\/Resource$/.exec(Metadata['aws:cdk:path'] ?? '') ?? [];
        const asset = Metadata['aws:asset:path'];
        if (name === undefined || asset === undefined) continue;
        const bundle = path.join(options.assembly, asset, 'index.cjs');
        this.#functions.set(name, { bundle, functionName: Properties.FunctionName });
      }
    }
  }

  /** Returns the environment variables that a function has in the account. */
  async environmentOf(name: string): Promise<Record<string, string>> {
    const { account, homeRegion } = this.#options;
    const { functionName } = this.#find(name);
    if (functionName === undefined) return {};
    const answer = await account.call('lambda', homeRegion, {
      path: `/2015-03-31/functions/${functionName}/configuration`,
    });
    return JSON.parse(answer).Environment?.Variables ?? {};
  }

  // biome-ignore lint/suspicious/noExplicitAny: each kind of function has its own result
  async invoke(name: string, event: unknown): Promise<any> {
    let started = this.#processes.get(name);
    if (started === undefined) {
      started = this.#start(name);
      this.#processes.set(name, started);
    }
    const child = await started;
    this.#events += 1;
    const id = this.#events;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const onEnd = () => reject(new Error(`the process of ${name} ended`));
    const onMessage = (answer: { id: number; result?: unknown; error?: string }) => {
      if (answer.id !== id) return;
      if (answer.error === undefined) resolve(answer.result);
      else reject(new Error(`${name}: ${answer.error}`));
    };
    child.on('message', onMessage).once('exit', onEnd);
    child.send({ id, event });
    try {
      return await promise;
    } finally {
      child.off('message', onMessage).off('exit', onEnd);
    }
  }

  close(): void {
    for (const started of this.#processes.values()) void started.then((child) => child.kill());
  }

  #find(name: string): DeployedFunction {
    const found = this.#functions.get(name);
    if (found === undefined) throw new Error(`no template has the function ${name}`);
    return found;
  }

  async #start(name: string): Promise<ChildProcess> {
    const { account, ports, accessKeyId, homeRegion } = this.#options;
    const args = [this.#find(name).bundle, JSON.stringify({ '*': account.port, ...ports })];
    const environment = await this.environmentOf(name);
    return fork(new URL('./function-process.ts', import.meta.url), args, {
      execArgv: [],
      // The log of a function would hide the results of the tests.
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: {
        AWS_REGION: homeRegion,
        AWS_ACCESS_KEY_ID: accessKeyId,
        AWS_SECRET_ACCESS_KEY: 'emulated',
        AWS_LAMBDA_FUNCTION_NAME: name,
        ...environment,
      },
    });
  }
}
