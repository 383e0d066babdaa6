import { exchange, seedNames, signIn, userToken } from '../seed.ts';
import { createUpload } from '../seed-data.ts';
import { exampleRepositories, filesOf } from './repositories.ts';

/** Invented publishers of example data. Their domains are reserved for examples, so they belong to nobody. */
const publishers = {
  'polar-survey': {
    name: 'Polar Survey',
    bio: 'We measure ice and snow, and publish every grid that we compute.',
    location: 'Tromsø, Norway',
    url: 'https://polar-survey.example',
  },
  'city-of-lindholm': {
    name: 'City of Lindholm',
    bio: 'The open data of a city: trees, air, and buses.',
    location: 'Lindholm',
    url: 'https://lindholm.example',
  },
};

interface CatalogueOptions {
  apiUrl: string;
  dataUrl: string;
  identity: { url: string; people: { data_client_id: string } };
}

/**
 * Creates repositories with files, so that a new local service has a catalogue to search. The user `ada` publishes them
 * through the API and the data proxy. Existing repositories stay unchanged.
 */
export async function publishExampleCatalogue({ apiUrl, dataUrl, identity }: CatalogueOptions): Promise<void> {
  const { user, admin, data_connection_id } = seedNames;
  const identityUrl = identity.url;
  const audience = identity.people.data_client_id;
  const [asUser, asAdmin, token] = await Promise.all([
    signIn({ apiUrl, identityUrl }, user.identity_id),
    signIn({ apiUrl, identityUrl }, admin.identity_id),
    userToken(identityUrl, { sub: user.identity_id, audience }),
  ]);
  for (const [account_id, profile] of Object.entries(publishers)) {
    await asUser('POST', '/accounts', { account_id, account_type: 'organization', profile });
  }
  const upload = createUpload(dataUrl, await exchange(dataUrl, { token, role: 'FullAccess', as: user.account_id }));
  const publish = async (example: (typeof exampleRepositories)[number]): Promise<void> => {
    const { account_id, repository_id, meta } = example;
    const path = `/repositories/${account_id}/${repository_id}`;
    const body = { repository_id, data_mode: 'open', meta, data_connection_id };
    const { status } = await asUser('POST', `/repositories/${account_id}`, body);
    if (status !== 201) return;
    await upload(`${account_id}/${repository_id}`, filesOf(example));
    await asUser('PUT', path, { meta, state: 'listed' });
    await asUser('POST', `${path}/inventory`);
  };
  // Create the repositories of an account one after another, because each creation changes the record of the account.
  const byAccount = Object.values(Object.groupBy(exampleRepositories, ({ account_id }) => account_id));
  const publishAll = async (examples: typeof exampleRepositories = []) => {
    for (const example of examples) await publish(example);
  };
  await Promise.all(byAccount.map(publishAll));
  await asAdmin('PUT', '/repositories/polar-survey/ice-thickness/featured', { order: 2 });
  await asAdmin('PUT', '/repositories/city-of-lindholm/street-trees/featured', { order: 3 });
}
