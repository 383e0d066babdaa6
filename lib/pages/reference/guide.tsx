import type { ComponentChildren } from 'preact';
import { limits } from '../../domain/limits.ts';
import type { AnswerObject, OpenApiDocument } from '../../openapi/document-types.ts';
import { managementCors } from '../../operations/cors.ts';
import { problems, problemType } from '../../operations/problems.ts';
import { conventionsSection } from './conventions.tsx';
import { resolve } from './operation.tsx';
import { CodeBlock, JsonCode, Paragraphs, Prose, Rows, ScrolledCode } from './text.tsx';

interface Section {
  id: string;
  title: string;
  content: ComponentChildren;
}

/**
 * Returns the sections of the API reference that apply to all operations. With them, readers need no other document.
 */
export function guideSections(document: OpenApiDocument): Section[] {
  return [
    { id: 'basics', title: 'Basics', content: <Paragraphs text={basics} /> },
    { id: 'identity', title: 'Authentication', content: identity(document) },
    { id: 'permissions', title: 'Permissions of the caller', content: <Paragraphs text={permissions} /> },
    { id: 'lists', title: 'Lists and their pages', content: lists },
    { id: 'retries', title: 'Safe retries', content: <Paragraphs text={retries} /> },
    { id: 'concurrent-changes', title: 'Concurrent changes', content: <Paragraphs text={versions} /> },
    { id: 'refusals', title: 'Errors and their codes', content: refusals(document) },
    { id: 'rates', title: 'Rate limits', content: <Paragraphs text={rates} /> },
    { id: 'browsers', title: 'Browsers of other origins', content: browsers() },
    { id: 'conventions', title: 'Naming conventions', content: conventionsSection() },
  ];
}

const basics = `Request and response bodies are JSON. A request body has at most 64 KiB. Unknown fields are an error. \
Times are RFC 3339 in UTC with milliseconds. The length of a text is its number of Unicode code points.

Responses can gain fields, and closed lists of values can grow. Ignore fields and values that you do not know. \
The API never renames or removes a field.

The examples use the URL of this service from \`SLUICE_URL\` and your token from \`SLUICE_TOKEN\`. \
Programs can read the same description from [\`openapi.json\`](openapi.json) (OpenAPI 3.1).`;

const unauthorized = `The API rejects an invalid \`Authorization\` header, except for operations that need no \
credential. Unauthorized callers cannot find out whether something exists.`;

const rightsOfKeys = ` The key of a user account reads what the user may read, creates and updates repositories, and \
updates profiles. All other operations need a bearer token, as each operation says. Keys of organizations, \
repositories, and service accounts are for data. In this API they can only call \`GET /whoami\`.`;

function identity({ components }: OpenApiDocument): ComponentChildren {
  const { bearerToken, apiKey } = components.securitySchemes;
  return (
    <>
      <dl>
        <dt>Bearer token</dt>
        <dd>
          <Prose text={bearerToken?.['description'] ?? ''} />
          <ScrolledCode>Authorization: Bearer &lt;token&gt;</ScrolledCode>
        </dd>
        <dt>API key</dt>
        <dd>
          <Prose text={(apiKey?.['description'] ?? '') + rightsOfKeys} />
          <ScrolledCode>Authorization: &lt;access_key_id&gt; &lt;secret_access_key&gt;</ScrolledCode>
        </dd>
      </dl>
      <Paragraphs text={unauthorized} />
    </>
  );
}

const permissions = `Each operation says who may call it. Some responses contain [\`permissions\`](#schema-Permission), \
the names of the operations that the caller may call on this resource: [an account's](#listAccountPermissions), \
[a repository's](#getRepositoryOverview), and [a service account's](#getServiceAccount). A disabled repository has no \
overview, so [its permissions](#listRepositoryPermissions) are a separate request. Show a button if its operation is \
in the list. Callers who may invite (\`inviteAccountMember\`, \`inviteRepositoryMember\`) may also \
[search for accounts](#searchAccounts).

The list does not contain operations that anyone may call. The list of a stranger is empty, whether the account exists \
or not. A state or a limit can still prevent an operation in the list, so handle its error.`;

const lists = (
  <>
    <Paragraphs
      text={`A list is a JSON array of at most ${limits.listPageMax} entries, oldest first. Audit events come newest \
first. \`limit\` requests fewer entries. If there are more, the response has a \`Link\` header with \`rel="next"\`. \
Follow the link unchanged, even if a page has fewer entries than you requested. Its cursor is valid only for you and \
this list.`}
    />
    <ScrolledCode>{'Link: </api/v1/repositories?limit=20&cursor=…>; rel="next"'}</ScrolledCode>
    <Paragraphs
      text={`A list rejects unknown query parameters, because a misspelled filter would return everything. All other \
operations ignore them. Account IDs come with the current name of the account, and grants with the title of their \
repository.`}
    />
  </>
);

const retries = `Send your own \`Idempotency-Key\` with a create request. If you repeat the request within 24 hours, \
nothing is created twice, and you get the first response again. Secrets are not stored. If you repeat the creation of \
a key, the API answers 409 ([\`secret_shown_once\`](#problem-secret_shown_once)) with the ID of the created key as \
\`made_id\`. The same \`Idempotency-Key\` with another request is answered with 422.`;

const versions = `The response to a GET of one resource has its version in \`ETag\`. Send this value in \`If-Match\` with \
a change. The API makes the change only if nobody has changed the resource since you read it. Otherwise it answers 412 \
([\`stale\`](#problem-stale)): read the resource again, and repeat your change. Without \`If-Match\`, the change applies \
to the current version. Fields that you do not send keep their values.

If a response contains only one record, \`If-None-Match\` with the tag of your copy gives 304 without a body. Each \
operation says which of the two headers it accepts.`;

function refusals(document: OpenApiDocument): ComponentChildren {
  const example = {
    type: problemType('field_invalid'),
    code: 'field_invalid',
    title: 'Invalid request',
    status: 400,
    detail: 'The request is not valid: expires: must lie in the future',
    request_id: 'JKJaXmPLvHcESHA=',
    errors: [{ path: 'expires', message: 'must lie in the future' }],
  };
  const status = (text: ComponentChildren) => <span class="status">{text}</span>;
  return (
    <>
      <div class="columns">
        <div class="words">
          <Paragraphs
            text={`Errors are [problem documents](#schema-Problem) (RFC 9457, \`application/problem+json\`). \`code\` \
names the error, and \`detail\` says what to do. Include the \`request_id\` if you ask for help.`}
          />
          <Rows
            isNarrow
            rows={refusalsByStatus(document).map(([name, { description }]) => ({
              id: `refusal-${name}`,
              name: status(name),
              content: <Prose text={description} />,
            }))}
          />
        </div>
        <div class="examples">
          <CodeBlock title="An error">
            <JsonCode value={example} />
          </CodeBlock>
        </div>
      </div>
      <h3 id="problem-codes">Problem codes</h3>
      <Paragraphs
        text={`Check \`code\`, never a sentence. The list is closed: codes are never renamed or removed. \`type\` is \
the URL of the row.`}
      />
      <Rows
        rows={Object.entries(problems).map(([code, { status: ofProblem, meaning, remedy }]) => ({
          id: `problem-${code}`,
          name: (
            <>
              <code>{code}</code> {status(ofProblem)}
            </>
          ),
          content: <Prose text={`${meaning} ${remedy}`} />,
        }))}
      />
    </>
  );
}

const rates = `The deployment limits the requests of all callers together and of each IP address. By default, an IP \
address can send 6,000 requests in five minutes, 100 of them to the public revocation. All callers together can send \
500 requests a second. A user can [search for accounts](#searchAccounts) ${limits.accountSearchesPerMinuteMax} times a \
minute and request [data credentials](#createDataCredentials) ${limits.dataCredentialsPerMinuteMax} times a minute. An \
account can make data public again ${limits.reopeningsPerHourMax} times an hour. The first publication of a repository \
does not count.

Above a limit, the API answers 429 with the code [\`throttled\`](#problem-throttled). The gateway answers 429 with JSON \
that has only a \`message\`, so check the status. Wait for the number of seconds in \`Retry-After\`. Without this header, \
wait one second, and twice as long after each further 429. Send create requests with an \
[\`Idempotency-Key\`](#retries). A limit on the number of resources is 409 with the code \
[\`limit_reached\`](#problem-limit_reached).`;

function browsers(): ComponentChildren {
  const { methods, headers, exposedHeaders, maxAgeSeconds } = managementCors;
  const list = (names: readonly string[]) => <Prose text={names.map((name) => `\`${name}\``).join(', ')} />;
  return (
    <>
      <Paragraphs
        text={`The deployment names the origins whose pages may call this API. By default there are none. Send the \
token in the \`Authorization\` header. The API does not set or read cookies.`}
      />
      <Rows
        rows={[
          { name: 'Methods', content: list(methods) },
          { name: 'Headers a page may send', content: list(headers) },
          { name: 'Headers a page may read', content: list(exposedHeaders) },
          { name: 'A preflight is cached for', content: `${maxAgeSeconds / 3600} hour` },
        ]}
      />
      <Paragraphs
        text={`Pages of any origin can read open data and its errors at the data proxy. If a page gets a network error \
instead of a response, it has no connection, or its origin is not allowed.`}
      />
    </>
  );
}

function refusalsByStatus({ paths, components }: OpenApiDocument): [string, AnswerObject][] {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const found = operations.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, answer]): [string, AnswerObject][] =>
      '$ref' in answer ? [[status, resolve<AnswerObject>(answer, components.responses)]] : [],
    ),
  );
  return [...new Map(found)].sort(([a], [b]) => Number(a) - Number(b));
}
