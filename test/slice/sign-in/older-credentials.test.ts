import { expect, test } from 'vitest';
import { ciToken, signIn } from '../../service/data-clients.ts';
import { deniedError, expectS3Error } from '../../service/error-answers.ts';
import { seededService } from '../../service/seeded-service.ts';
import { sendSigned } from '../../service/signed-requests.ts';

const service = await seededService();

const ofServiceAccount = '/service-accounts/tide-institute--nightly-sync';
const ofOwner = '/accounts/tide-institute';

// After a theft of credentials, a user disables the service account to end its sessions, and then enables it again.
test.each([
  ['a service account', 'ada', 'POST', `${ofServiceAccount}/disable`, `${ofServiceAccount}/enable`],
  ['its owner', 'ada', 'DELETE', ofOwner, `${ofOwner}/enable`],
] as const)(
  'credentials issued before %s was disabled do not come back when it is enabled; new ones work at once',
  async (_, enabler, method, disable, enable) => {
    const [ada, enabling] = [await service.person('ada'), await service.person(enabler)];
    const path = '/tide-institute/raw-drafts/private.csv';
    const put = async (credentials: Awaited<ReturnType<typeof signIn>>) =>
      sendSigned(service, credentials, { method: 'PUT', path, body: 'x' }, { signedAt: service.services.clock() });
    const stolen = [await signIn(service, service.key), await signIn(service, await ciToken(service))];
    for (const credentials of stolen) expect((await put(credentials)).status).toBe(200);

    for (let round = 0; round < 2; round += 1) {
      const mine = await signIn(service, service.key);
      expect((await put(mine)).status).toBe(200);
      expect((await ada(method, disable)).status).toBe(200);
      expect((await enabling('POST', enable)).status).toBe(200);
      service.advance(61);
      for (const credentials of [...stolen, mine]) expectS3Error(await put(credentials), deniedError, path);
    }
    for (const token of [service.key, await ciToken(service)]) {
      expect((await put(await signIn(service, token))).status).toBe(200);
    }
  },
);
