import type { ComponentChildren } from 'preact';
import { CodeBlock, Prose } from './text.tsx';

interface Step {
  id: string;
  title: string;
  words: readonly string[];
  more?: ComponentChildren;
  /**
   * Each step builds on the earlier ones. A test compiles all of them with a client generated from the document, and
   * runs them.
   */
  code: string;
}

const shell = `npm install openapi-fetch
npm install --save-dev openapi-typescript typescript
npx openapi-typescript "$SLUICE_URL/api/v1/openapi.json" -o api.d.ts`;

/** The first steps of a web app, as code that runs. */
export const startSteps: readonly Step[] = [
  {
    id: 'start-client',
    title: 'Make a client',
    words: [
      'Types come from the document, so paths, bodies, answers and every `code` are checked while you write. No library is needed: `fetch` does too.',
      'The examples take the URL of the service from `SLUICE_URL`, and the token of the person who is signed in from `token`.',
    ],
    code: `import createClient from 'openapi-fetch';
import type { components, paths } from './api.d.ts';

const api = createClient<paths>({ baseUrl: \`\${SLUICE_URL}/api/v1\` });
api.use({
  onRequest({ request }) {
    if (token !== '') request.headers.set('authorization', \`Bearer \${token}\`);
  },
});`,
  },
  {
    id: 'start-session',
    title: 'Sign in, and ask who that is',
    words: [
      'People sign in at the OpenID Connect issuer of the deployment, with an authorization code and PKCE; a library such as `oauth4webapi` does it. The token they get goes with every request.',
      '`GET /whoami` is the first one: who they are, what they belong to, by name, and which invitations wait for an answer. A person who is new has no account yet: let them choose its ID.',
    ],
    code: `const { data: session, error: signedOut } = await api.GET('/whoami');
if (signedOut?.code === 'unauthenticated') signIn();

if (session?.account === null) {
  const profile = { name: 'Ada Lovelace' };
  const { error } = await api.POST('/accounts', { body: { account_id: 'ada', account_type: 'user', profile } });
  if (error?.code === 'account_id_taken') showBeside('account_id', 'Somebody has this ID. Choose another.');
}

for (const { membership_account_name, membership_account_id, state } of session?.memberships ?? []) {
  console.log(state, membership_account_name ?? membership_account_id);
}`,
  },
  {
    id: 'start-catalogue',
    title: 'Show the catalogue, and one repository',
    words: [
      'Anyone sees the catalogue, signed in or not, and searches it with `q`; `X-Total-Count` says how many match. A list comes in pages; `Link` leads to the next one.',
      'The overview is all that a repository’s page shows: its description, who publishes it, where its data are, and in `permissions` which buttons the page has for this caller.',
    ],
    code: `const { data: repositories = [], response } = await api.GET('/repositories', {
  params: { query: { q: 'tide', limit: 20 } },
});
const hasMore = response.headers.get('link')?.includes('rel="next"') ?? false;

const gauges = { path: { account_id: 'tide-institute', repository_id: 'tide-gauges' } };
const { data: overview } = await api.GET('/repositories/{account_id}/{repository_id}/overview', { params: gauges });
console.log(repositories.length, hasMore, overview?.repository.meta.title);
const showsEditButton = overview?.permissions.includes('updateRepository') ?? false;`,
  },
  {
    id: 'start-create',
    title: 'Create a repository',
    words: [
      'A repository is placed on a data connection that its creator may use. With an `Idempotency-Key`, a random value made when the form is opened (`formId`), a click that is sent twice creates once.',
      'What is refused is decided by `code`; `errors` names each field of a form by its path.',
    ],
    code: `const { data: connections = [] } = await api.GET('/data-connections/available');
const { error: refusal } = await api.POST('/repositories/{account_id}', {
  params: { path: { account_id: 'tide-institute' }, header: { 'Idempotency-Key': formId } },
  body: {
    repository_id: 'currents',
    data_mode: 'open',
    meta: { title: 'Currents', description: 'Surface currents, every hour', tags: 'currents' },
    data_connection_id: connections[0]?.data_connection_id ?? '',
  },
});
if (refusal?.code === 'repository_id_taken') showBeside('repository_id', 'There is one with this ID.');
for (const { path, message } of refusal?.errors ?? []) showBeside(path, message);`,
  },
  {
    id: 'start-edit',
    title: 'Edit it, so that two people lose nothing',
    words: [
      'Read the thing, and send its `ETag` with the change as `If-Match`. Where somebody else was faster the answer is 412 with the code `stale`, and nothing was done: read again, and show both.',
      'It is created unlisted: listing it is a change like any other. An update names `meta` and `state`; optional fields of `meta` that it leaves out stay as they are, and `null` clears one.',
    ],
    code: `const meta = { title: 'Currents', description: 'Surface currents, every hour', tags: 'currents', license: 'CC-BY-4.0' };
const currents = { account_id: 'tide-institute', repository_id: 'currents' };
const { response: read } = await api.GET('/repositories/{account_id}/{repository_id}', { params: { path: currents } });
const { data: updated, error: overtaken } = await api.PUT('/repositories/{account_id}/{repository_id}', {
  params: { path: currents, header: { 'If-Match': read.headers.get('etag') ?? '*' } },
  body: { meta, state: 'listed' },
});
if (overtaken?.code === 'stale') showBeside('meta', 'Somebody else has changed this. Read it again.');
console.log(updated?.state);`,
  },
  {
    id: 'start-data',
    title: 'Read data, and upload some',
    words: [
      'Objects lie at the data proxy, below the URL that the overview names. Pages of any origin read open data there, whole or in ranges.',
      'Uploads are S3 requests with temporary credentials. A page gets them for the person who is signed in, with the rights that this person has; software gets them as a service account.',
    ],
    more: <a href="#machines">Signing in machines</a>,
    code: `const readme = \`\${overview?.data.url}README.md\`;
const answer = await fetch(readme, { headers: { range: 'bytes=0-1023' } });
if (answer.ok) console.log(await answer.text());

const { data: credentials } = await api.POST('/session/data-credentials', {
  body: { role: 'FullAccess', repository: 'tide-institute/currents', duration_seconds: 900 },
});
console.log(credentials?.access_key_id, credentials?.expires_at); // for an S3 client, with the session token`,
  },
];

export function startSection(): ComponentChildren {
  return (
    <>
      <p class="lead">
        The five things that a web app does first, after making a client. The pieces fit together: a test compiles and
        runs them.
      </p>
      {startSteps.map(({ id, title, words, more, code }, index) => (
        <div class="columns step" id={id}>
          <div class="words">
            <h3>
              {index === 0 ? undefined : (
                <>
                  <span class="number">{index}</span>{' '}
                </>
              )}
              {title}
            </h3>
            {words.map((text) => (
              <p>
                <Prose text={text} />
              </p>
            ))}
            {more && <p>{more}</p>}
          </div>
          <div class="examples">
            {index === 0 ? <CodeBlock title="Once">{shell}</CodeBlock> : undefined}
            <CodeBlock title="TypeScript">{code}</CodeBlock>
          </div>
        </div>
      ))}
      <p>
        What else holds for every operation stands in the sections below: <a href="#lists">lists</a>,{' '}
        <a href="#retries">safe retries</a>, <a href="#permissions">what the caller may do</a>,{' '}
        <a href="#refusals">refusals and their codes</a>, <a href="#rates">rate limits</a>,{' '}
        <a href="#browsers">browsers of other origins</a>.
      </p>
    </>
  );
}
