import { exchangeRequest, type RepeatedRequest, roleArn, startLoad } from '../requests.ts';
import { ciToken } from '../seeded-service.ts';
import type { RevocationScenario, ScenarioFixture } from './revocation.ts';

const connections = 32;
/** Share of the rate that the machine reaches without other load. */
const part = 0.7;
const refusalsMin = 10_000;

/**
 * Sends sign-ins of valid runs that no service account trusts. Each names another service account, so that each stores
 * a record of the refusal.
 */
export async function refusalScenario({ service }: ScenarioFixture): Promise<RevocationScenario> {
  let named = 0;
  let lastRefused = 0;
  let token = await ciToken(service);
  const request: RepeatedRequest = {
    ...exchangeRequest(service.dataUrl, '', ''),
    setupClient: (client) => {
      let current = 0;
      const next = () => {
        lastRefused = current;
        named += 1;
        current = named;
        // Tokens of a run are valid for minutes, which pass quickly on the moved clock.
        if (named % 100 === 0)
          void ciToken(service).then((fresh) => {
            token = fresh;
          });
        client.setBody(exchangeRequest(service.dataUrl, roleArn(`nobody-${current}`), token).body);
      };
      next();
      client.on('response', next);
    },
  };
  const load = await SteadyLoad.measured(request, 403);
  return {
    name: 'under refused sign-ins',
    showsKinds: false,
    isEnough: () => load.answered >= refusalsMin,
    begin: async () => {
      token = await ciToken(service);
      const end = load.begin();
      return async () => {
        const rates = await end();
        const last = { service_account_id: `nobody-${lastRefused}`, created_at: '' };
        const [record] = await service.services.store.refusedSignIns.findLast([last]);
        if (record === undefined) throw new Error('a refused sign-in has no record: it was refused for another reason');
        return `${load.answered} refused sign-ins, each with a record: ${rates}`;
      };
    },
  };
}

/** Sends exchanges by key, at a share of the rate that is measured first. */
export async function exchangeScenario({ service, stage }: ScenarioFixture): Promise<RevocationScenario> {
  const load = await SteadyLoad.measured(exchangeRequest(service.dataUrl, stage.roleArn, stage.key), 200);
  return {
    name: 'under exchanges',
    showsKinds: false,
    begin: async () => {
      const end = load.begin();
      return async () => `${load.answered} exchanges: ${await end()}`;
    },
  };
}

/** Sends a request at 70 % of the rate that the machine reaches. */
class SteadyLoad {
  /** Number of responses at the steady rate. */
  answered = 0;
  readonly #request: RepeatedRequest;
  readonly #status: number;
  readonly #perSecondMax: number;

  private constructor(request: RepeatedRequest, status: number, perSecondMax: number) {
    this.#request = request;
    this.#status = status;
    this.#perSecondMax = perSecondMax;
  }

  static async measured(request: RepeatedRequest, status: number): Promise<SteadyLoad> {
    const { requests, duration } = await startLoad({ ...request, connections, duration: 3 }).result;
    return new SteadyLoad(request, status, requests.total / duration);
  }

  /** Starts the load. The returned function ends it and describes the reached rate. */
  begin(): () => Promise<string> {
    const overallRate = Math.round(this.#perSecondMax * part);
    const { load, result } = startLoad({ ...this.#request, connections, overallRate, duration: 3600 });
    return async () => {
      load.stop();
      const { requests, duration, errors, statusCodeStats } = await result;
      const answered = statusCodeStats?.[`${this.#status}`]?.count ?? 0;
      this.answered += answered;
      if (errors > 0 || answered < requests.total)
        throw new Error(`${requests.total - answered + errors} requests failed`);
      const [reached, most] = [answered / duration, this.#perSecondMax].map((rate) => rate.toFixed(0));
      return `${reached} a second in the last round, of ${most} without other load (aim: 70 %).`;
    };
  }
}
