import { setTimeout as wait } from 'node:timers/promises';
import { ciToken } from '../ci-token.ts';
import { LoadConnection, prepareRequest } from '../load/load-connection.ts';
import { exchangeForm } from '../signed-request.ts';
import type { LoadedWorld, RevocationScenario } from './revocation-scenarios.ts';

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const connections = 32;
/** Share of the rate that the machine reaches without other load. */
const part = 0.7;
const measuredMs = 3000;
const pacedEveryMs = 5;

type Send = (connection: LoadConnection) => Promise<unknown>;

/**
 * Sends sign-ins of valid runs that no service account trusts. Each names another service account, so that each stores
 * a record of the refusal.
 */
export async function refusalScenario({ service }: LoadedWorld, atLeast: number): Promise<RevocationScenario> {
  const url = new URL('/.sts', service.dataUrl);
  let named = 0;
  let token = await ciToken(service.identity.url, service.dataUrl);
  const refuse: Send = async (connection) => {
    named += 1;
    // Tokens of a run are valid for minutes, which pass quickly on the moved clock.
    if (named % 100 === 0) token = await ciToken(service.identity.url, service.dataUrl);
    await connection.send(prepareRequest('POST', url, form, exchangeForm(roleOf(`nobody-${named}`), token)), 403);
  };
  const load = new PacedLoad(url, refuse);
  const given = await load.measure();
  return {
    name: 'under refused sign-ins',
    showsKinds: false,
    isEnough: () => load.answered >= atLeast,
    begin: async () => {
      token = await ciToken(service.identity.url, service.dataUrl);
      const end = await load.begin(given * part);
      return {
        end: async () => {
          const reached = await end();
          const last = { service_account_id: `nobody-${named}`, created_at: '' };
          const [noted] = await service.services.store.refusedSignIns.findLast([last]);
          if (noted === undefined) throw new Error('a refused sign-in left no note: it was refused for another reason');
          return `${load.answered} sign-ins were refused, each of which left a note: ${rates(reached, given)}`;
        },
      };
    },
  };
}

/** Sends exchanges by key, at a share of the rate that is measured first. */
export async function exchangeScenario({ service, stage }: LoadedWorld): Promise<RevocationScenario> {
  const request = prepareRequest(
    'POST',
    new URL('/.sts', service.dataUrl),
    form,
    exchangeForm(stage.roleArn, stage.key),
  );
  const load = new PacedLoad(request.url, (connection) => connection.send(request));
  const given = await load.measure();
  return {
    name: 'under exchanges',
    showsKinds: false,
    begin: async () => {
      const end = await load.begin(given * part);
      return { end: async () => `${load.answered} exchanges: ${rates(await end(), given)}` };
    },
  };
}

function rates(reached: number, given: number): string {
  return `${reached.toFixed(0)} a second in the last round, of ${given.toFixed(0)} that this machine gives alone (aim: 70 %).`;
}

function roleOf(serviceAccountId: string): string {
  return `arn:aws:iam::${serviceAccountId}:role/FullAccess`;
}

/** Sends requests at a steady rate over a number of connections, independently of the duration of each. */
class PacedLoad {
  readonly #url: URL;
  readonly #send: Send;
  /** Number of responses at the steady rate. */
  answered = 0;

  constructor(url: URL, send: Send) {
    this.#url = url;
    this.#send = send;
  }

  /** Returns requests per second when each connection sends its next request after the previous response. */
  async measure(): Promise<number> {
    const open = await this.#open();
    let answered = 0;
    const until = performance.now() + measuredMs;
    await Promise.all(
      open.map(async (connection) => {
        for (; performance.now() < until; answered += 1) await this.#send(connection);
        connection.close();
      }),
    );
    return answered / (measuredMs / 1000);
  }

  /** Settles when the load runs. The returned function ends it and returns the reached rate per second. */
  async begin(perSecond: number): Promise<() => Promise<number>> {
    const open = await this.#open();
    const free = [...open];
    const underWay = new Set<Promise<void>>();
    const startedAt = performance.now();
    const before = this.answered;
    let failure: unknown;
    let isPaced = true;
    const send = async (connection: LoadConnection) => {
      try {
        await this.#send(connection);
        this.answered += 1;
        free.push(connection);
      } catch (error) {
        failure ??= error;
      }
    };
    const pace = async () => {
      let due = 0;
      for (let last = startedAt; isPaced; await wait(pacedEveryMs)) {
        const now = performance.now();
        due += ((now - last) / 1000) * perSecond;
        last = now;
        for (; due >= 1; due -= 1) {
          const connection = free.pop();
          if (connection === undefined) break;
          const sent: Promise<void> = send(connection).finally(() => underWay.delete(sent));
          underWay.add(sent);
        }
      }
    };
    const pacing = pace();
    return async () => {
      isPaced = false;
      await pacing;
      await Promise.all(underWay);
      for (const connection of open) connection.close();
      if (failure !== undefined) throw failure;
      return (this.answered - before) / ((performance.now() - startedAt) / 1000);
    };
  }

  #open(): Promise<LoadConnection[]> {
    return Promise.all(Array.from({ length: connections }, () => LoadConnection.open({ url: this.#url })));
  }
}
