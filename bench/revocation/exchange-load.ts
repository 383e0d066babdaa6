import { setTimeout as wait } from 'node:timers/promises';
import { ciToken } from '../ci-token.ts';
import { LoadConnection, prepareRequest } from '../load/load-connection.ts';
import { exchangeForm } from '../signed-request.ts';
import type { LoadedWorld, RevocationScenario } from './revocation-scenarios.ts';

const form = { 'content-type': 'application/x-www-form-urlencoded' };
const connections = 32;
/** Of what the machine gives when nothing else goes on. */
const part = 0.7;
const measuredMs = 3000;
const pacedEveryMs = 5;

type Send = (connection: LoadConnection) => Promise<unknown>;

/**
 * Sign-ins of genuine runs that nothing trusts, each to a service account of another name, so that each leaves a note in
 * the table.
 */
export async function refusalScenario({ service }: LoadedWorld, atLeast: number): Promise<RevocationScenario> {
  const url = new URL('/.sts', service.dataUrl);
  let named = 0;
  let token = await ciToken(service.identity.url, service.dataUrl);
  const refuse: Send = async (connection) => {
    named += 1;
    // A token of a run is good for minutes, and on the moved clock they pass quickly.
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

/** Exchanges by key, at a part of the rate that is measured first. */
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

/** Requests that are due at a steady rate, however long each takes, over connections of which there are so many. */
class PacedLoad {
  readonly #url: URL;
  readonly #send: Send;
  /** While it was paced. */
  answered = 0;

  constructor(url: URL, send: Send) {
    this.#url = url;
    this.#send = send;
  }

  /** Requests a second when each connection sends its next one with the answer to the last. */
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

  /** Settles when it goes on; what it returns ends it, and tells how many a second there were. */
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
