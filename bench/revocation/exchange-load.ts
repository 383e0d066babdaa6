import { ciToken, roleArn } from '../../test/service/data-clients.ts';
import { exchangeRequest, type RepeatedRequest, startLoad } from '../requests.ts';
import type { RevocationScenario, ScenarioFixture } from './revocation.ts';

const connections = 32;
/**
 * The share of the maximum request rate at which the load sends requests. The maximum is measured without other load.
 */
const part = 0.7;
const refusalsMin = 10_000;

/**
 * Sends sign-ins of CI runs that have a valid token but that no service account trusts. Each sign-in is for another
 * service account, so each one stores a record of the refusal.
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
        // Request a new token from time to time. A CI token is valid for some minutes, and the benchmark moves the
        // clock forward by minutes.
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

/** Sends exchanges of service account keys. Their rate is a share of the maximum rate, which is measured first. */
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

/** Sends requests at 70 % of the maximum rate of the machine, which is measured first. */
async function steadyLoad(request: RepeatedRequest, status: number) {
  const measured = await startLoad({ ...request, connections, duration: 3 }).result;
  const perSecondMax = measured.requests.total / measured.duration;
  const load = {
    /** The number of responses since the load began. */
    answered: 0,
    /** Starts the load. The returned function stops it and describes the rate that it reached. */
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
