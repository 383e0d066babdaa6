import { ciToken, roleArn } from '../../test/service/data-clients.ts';
import { exchangeRequest, type RepeatedRequest, startLoad } from '../requests.ts';
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
        client.setBody(exchangeRequest(service.dataUrl, roleArn('FullAccess', `nobody-${current}`), token).body);
      };
      next();
      client.on('response', next);
    },
  };
  const load = await steadyLoad(request, 403);
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
  const load = await steadyLoad(exchangeRequest(service.dataUrl, stage.roleArn, stage.key), 200);
  return {
    name: 'under exchanges',
    showsKinds: false,
    begin: async () => {
      const end = load.begin();
      return async () => `${load.answered} exchanges: ${await end()}`;
    },
  };
}

/** Sends a request at 70 % of the rate that the machine reaches, which it measures first. */
async function steadyLoad(request: RepeatedRequest, status: number) {
  const measured = await startLoad({ ...request, connections, duration: 3 }).result;
  const perSecondMax = measured.requests.total / measured.duration;
  const load = {
    /** Number of responses at the steady rate. */
    answered: 0,
    /** Starts the load. The returned function ends it and describes the reached rate. */
    begin(): () => Promise<string> {
      const overallRate = Math.round(perSecondMax * part);
      const running = startLoad({ ...request, connections, overallRate, duration: 3600 });
      return async () => {
        running.load.stop();
        const { requests, duration, errors, statusCodeStats } = await running.result;
        const answered = statusCodeStats?.[`${status}`]?.count ?? 0;
        load.answered += answered;
        if (errors > 0 || answered < requests.total)
          throw new Error(`${requests.total - answered + errors} requests failed`);
        const [reached, most] = [answered / duration, perSecondMax].map((rate) => rate.toFixed(0));
        return `${reached} a second in the last round, of ${most} without other load (aim: 70 %).`;
      };
    },
  };
  return load;
}
