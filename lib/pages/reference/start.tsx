import type { ComponentChildren } from 'preact';
import { CodeBlock, Paragraphs } from './text.tsx';

interface Step {
  id: string;
  title: string;
  text: string;
  /**
   * The code of one step of the quick start. It uses the results of earlier steps. A test compiles and runs all steps
   * with a client generated from the OpenAPI document.
   */
  code: string;
}

const shell = `npm install openapi-fetch
npm install --save-dev openapi-typescript typescript
npx openapi-typescript "$SLUICE_URL/api/v1/openapi.json" -o api.d.ts`;

/** The first steps of a web app with the API, as code that runs. */
export const startSteps: readonly Step[] = [
  {
    id: 'start-client',
    title: 'Create a client',
    text: `Types come from the document, so the compiler checks paths, bodies, responses, and every \`code\`. A \
library is not necessary: \`fetch\` works too.

The examples use the URL of the service from \`SLUICE_URL\`, and the token of the signed-in user from \`token\`.`,
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
    title: 'Sign in, and read the session',
    text: `Users sign in at the OpenID Connect issuer of the deployment, with an authorization code and PKCE. A \
library such as \`oauth4webapi\` does this. Send the token with every request.

Call \`GET /whoami\` first. It returns the user, the user's memberships with their names, and the open invitations. A new \
user has no account yet: let the user choose its ID.`,
    code: `const { data: session, error: signedOut } = await api.GET('/whoami');
if (signedOut?.code === 'unauthenticated') signIn();

if (session?.account === null) {
  const profile = { name: 'Ada Lovelace' };
  const { error } = await api.POST('/accounts', { body: { account_id: 'ada', account_type: 'user', profile } });
  if (error?.code === 'account_id_taken') showBeside('account_id', 'This ID is taken. Choose another one.');
}

for (const { membership_account_name, membership_account_id, state } of session?.memberships ?? []) {
  console.log(state, membership_account_name ?? membership_account_id);
}`,
  },
  {
    id: 'start-catalogue',
    title: 'Show the catalogue and a repository',
    text: `Anyone can read the catalogue, signed in or not, and search it with \`q\`. \`X-Total-Count\` is the \
number of matches. A list has pages, and \`Link\` leads to the next one.

The overview contains everything that the page of a repository shows: the description, the publisher, the location of \
the data, and in \`permissions\` the buttons for this caller.`,
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
    text: `A repository needs a data connection that its creator may use. With an \`Idempotency-Key\`, a random \
value for each opened form (\`formId\`), a request that is sent twice creates one repository.

\`code\` says why a request is rejected. \`errors\` names each field of a form by its path.`,
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
if (refusal?.code === 'repository_id_taken') showBeside('repository_id', 'A repository with this ID exists.');
for (const { path, message } of refusal?.errors ?? []) showBeside(path, message);`,
  },
  {
    id: 'start-edit',
    title: 'Edit without losing the changes of others',
    text: `Read the repository, and send its \`ETag\` with the change as \`If-Match\`. If somebody else was \
faster, the API answers 412 with the code \`stale\` and changes nothing. Read the repository again, and show both.

A new repository is unlisted. To list it, change its \`state\`. An update names \`meta\` and \`state\`. Absent optional \
fields of \`meta\` keep their values, and \`null\` clears a field.`,
    code: `const meta = { title: 'Currents', description: 'Surface currents, every hour', tags: 'currents', license: 'CC-BY-4.0' };
const currents = { account_id: 'tide-institute', repository_id: 'currents' };
const { response: read } = await api.GET('/repositories/{account_id}/{repository_id}', { params: { path: currents } });
const { data: updated, error: overtaken } = await api.PUT('/repositories/{account_id}/{repository_id}', {
  params: { path: currents, header: { 'If-Match': read.headers.get('etag') ?? '*' } },
  body: { meta, state: 'listed' },
});
if (overtaken?.code === 'stale') showBeside('meta', 'Somebody else changed this repository. Read it again.');
console.log(updated?.state);`,
  },
  {
    id: 'start-data',
    title: 'Read data and upload data',
    text: `Objects are at the data proxy, below the URL in the overview. Pages of any origin can read open data \
there, whole or in ranges.

Uploads are S3 requests with temporary credentials. A page gets credentials with the permissions of the signed-in user. \
Software gets them [as a service account](#machines).`,
    code: `const readme = \`\${overview?.data.url}README.md\`;
const answer = await fetch(readme, { headers: { range: 'bytes=0-1023' } });
if (answer.ok) console.log(await answer.text());

const { data: credentials } = await api.POST('/session/data-credentials', {
  body: { role: 'FullAccess', repository: 'tide-institute/currents', duration_seconds: 900 },
});
console.log(credentials?.access_key_id, credentials?.expires_at); // for an S3 client, with the session token`,
  },
];

const introduction =
  'These are the first five things that a web app does, after it has created a client. A test compiles and runs the examples in this order.';
const more =
  'The next sections apply to every operation: [lists](#lists), [safe retries](#retries), [permissions](#permissions), [errors and their codes](#refusals), [rate limits](#rates), and [browsers of other origins](#browsers).';

export function startSection(): ComponentChildren {
  return (
    <>
      <p class="lead">{introduction}</p>
      {startSteps.map(({ id, title, text, code }, index) => (
        <div class="columns step" id={id}>
          <div class="words">
            <h3>
              {index > 0 && <span class="number">{index}</span>} {title}
            </h3>
            <Paragraphs text={text} />
          </div>
          <div class="examples">
            {index === 0 && <CodeBlock title="Once">{shell}</CodeBlock>}
            <CodeBlock title="TypeScript">{code}</CodeBlock>
          </div>
        </div>
      ))}
      <Paragraphs text={more} />
    </>
  );
}
