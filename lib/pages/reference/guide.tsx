import type { ComponentChildren } from 'preact';
import { limits } from '../../domain/limits.ts';
import type { AnswerObject, OpenApiDocument } from '../../openapi/document-types.ts';
import { managementCors } from '../../operations/cors.ts';
import { problems, problemType } from '../../operations/problems.ts';
import { conventionsSection } from './conventions.tsx';
import { CodeBlock, JsonCode, Prose } from './text.tsx';

/** Returns the sections that apply to every operation, so that this page is complete for its readers. */
export function guideSections(document: OpenApiDocument): { id: string; title: string; content: ComponentChildren }[] {
  return [
    { id: 'basics', title: 'Basics', content: basics() },
    { id: 'identity', title: 'Who you are', content: identity(document) },
    { id: 'permissions', title: 'What the caller may do', content: permissions() },
    { id: 'lists', title: 'Lists and their pages', content: lists() },
    { id: 'retries', title: 'Safe retries', content: retries() },
    { id: 'versions', title: 'Two people, one thing', content: versions() },
    { id: 'refusals', title: 'Refusals and their codes', content: refusals(document) },
    { id: 'rates', title: 'Rate limits', content: rates() },
    { id: 'browsers', title: 'Browsers of other origins', content: browsers() },
    { id: 'conventions', title: 'One way to say each thing', content: conventionsSection() },
  ];
}

function basics(): ComponentChildren {
  return (
    <>
      <p>
        Bodies are JSON in both directions, at most 64 KiB on the way in, and a field that an operation does not know is
        refused. Times are RFC 3339 in UTC with milliseconds. A text's length is counted in Unicode code points.
      </p>
      <p>
        Answers may gain fields, and closed lists of values may grow: ignore what you do not know. Nothing is renamed or
        taken away.
      </p>
      <p>
        The examples take the URL of this service from <code>SLUICE_URL</code> and your token from{' '}
        <code>SLUICE_TOKEN</code>. The same description for programs is at{' '}
        <a href="openapi.json">
          <code>openapi.json</code>
        </a>{' '}
        (OpenAPI 3.1).
      </p>
    </>
  );
}

function identity({ components }: OpenApiDocument): ComponentChildren {
  const { bearerToken, apiKey } = components.securitySchemes;
  return (
    <>
      <dl>
        <dt>Bearer token</dt>
        <dd>
          <Prose text={bearerToken?.['description'] ?? ''} />
          <pre tabindex={0}>
            <code>Authorization: Bearer &lt;token&gt;</code>
          </pre>
        </dd>
        <dt>API key</dt>
        <dd>
          <Prose text={apiKey?.['description'] ?? ''} /> The key of a user account reads what that user may, makes and
          updates repositories and updates profiles; everything else needs a bearer token, as each operation says. The
          keys of organizations, repositories and service accounts are for data; here they may only ask who they are.
          <pre tabindex={0}>
            <code>Authorization: &lt;access_key_id&gt; &lt;secret_access_key&gt;</code>
          </pre>
        </dd>
      </dl>
      <p>
        A header that is there but not valid is refused, except where an operation needs no credential. Unauthorized
        callers can't tell whether something exists.
      </p>
    </>
  );
}

function permissions(): ComponentChildren {
  return (
    <>
      <p>
        Each operation below says who may. So that a page need not know the rules, these answers carry{' '}
        <a href="#schema-Permission">
          <code>permissions</code>
        </a>
        , the names of the operations that this caller may carry out on this thing, made from the same rules:{' '}
        <a href="#listAccountPermissions">an account’s</a>, <a href="#getRepositoryOverview">a repository’s</a> (of a
        disabled one, which has no overview, <a href="#listRepositoryPermissions">by themselves</a>) and{' '}
        <a href="#getServiceAccount">a service account’s</a>. Show a button where its operation is among them. Whoever
        may invite (<code>inviteAccountMember</code>, <code>inviteRepositoryMember</code>) may{' '}
        <a href="#searchAccounts">search for whom</a>.
      </p>
      <p>
        What anyone may is not among them, so a stranger’s list is empty, whether the account is there or not. A state
        or a limit can still be in the way of one that is: be ready for its refusal.
      </p>
    </>
  );
}

function lists(): ComponentChildren {
  return (
    <>
      <p>
        A list is a JSON array, oldest first (audit events newest first), with at most {limits.listPageMax} entries.{' '}
        <code>limit</code> asks for fewer. While there is more, the answer has a <code>Link</code> header with{' '}
        <code>rel="next"</code>: follow it as it stands, also where a page holds fewer entries than you asked for. Its
        cursor is good for you and this list alone.
      </p>
      <pre tabindex={0}>
        <code>Link: &lt;/api/v1/repositories?limit=20&amp;cursor=…&gt;; rel="next"</code>
      </pre>
      <p>
        A list refuses query parameters that it does not know, since a misspelt filter would show everything; every
        other operation ignores them. IDs of accounts come with the name that the account has now, grants with the title
        of their repository.
      </p>
    </>
  );
}

function retries(): ComponentChildren {
  return (
    <p>
      Send an <code>Idempotency-Key</code> of your own with a create, and repeating it within 24 hours makes nothing
      twice: you get the first answer again. Secrets are not stored, so repeating the creation of a key is refused with
      409 (
      <a href="#problem-secret_shown_once">
        <code>secret_shown_once</code>
      </a>
      ) and the ID of the key that was made as <code>made_id</code>. The same key with another request is refused with
      422.
    </p>
  );
}

function versions(): ComponentChildren {
  return (
    <>
      <p>
        A GET of one thing has its version in <code>ETag</code>. Send that back in <code>If-Match</code> with a change
        of the thing: it is made only while nobody has changed the thing since you read it, and refused with 412 (
        <a href="#problem-stale">
          <code>stale</code>
        </a>
        ) otherwise. Read it again then and repeat your change. Without <code>If-Match</code> a change is made to what
        is there; fields that it does not send keep what others have set.
      </p>
      <p>
        Where an answer is a record and nothing else, <code>If-None-Match</code> with the tag of what you have stored
        gives 304 without a body. The operations say which of the two they take.
      </p>
    </>
  );
}

function refusals(document: OpenApiDocument): ComponentChildren {
  const rows = [...refusalsByStatus(document)].map(([status, { description }]) => (
    <tr id={`refusal-${status}`}>
      <th scope="row">
        <span class="status">{status}</span>
      </th>
      <td>
        <Prose text={description} />
      </td>
    </tr>
  ));
  const example = {
    type: problemType('field_invalid'),
    code: 'field_invalid',
    title: 'Invalid request',
    status: 400,
    detail: 'The request is not valid: expires: must lie in the future',
    request_id: 'JKJaXmPLvHcESHA=',
    errors: [{ path: 'expires', message: 'must lie in the future' }],
  };
  return (
    <>
      <div class="columns">
        <div class="words">
          <p>
            Refusals are <a href="#schema-Problem">problem documents</a> (RFC 9457,{' '}
            <code>application/problem+json</code>). <code>code</code> says what happened, <code>detail</code> what to
            do; name the <code>request_id</code> when you ask for help.
          </p>
          <table class="fields narrow">{rows}</table>
        </div>
        <div class="examples">
          <CodeBlock title="A refusal">
            <JsonCode value={example} />
          </CodeBlock>
        </div>
      </div>
      <h3 id="problem-codes">Problem codes</h3>
      <p>
        Decide by <code>code</code>, never by a sentence. The list is closed: codes are neither renamed nor taken away.{' '}
        <code>type</code> is the URL of the row.
      </p>
      <table class="fields">
        {Object.entries(problems).map(([code, { status, meaning, remedy }]) => (
          <tr id={`problem-${code}`}>
            <th scope="row">
              <code>{code}</code> <span class="status">{status}</span>
            </th>
            <td>
              <Prose text={meaning} /> <Prose text={remedy} />
            </td>
          </tr>
        ))}
      </table>
    </>
  );
}

function rates(): ComponentChildren {
  return (
    <>
      <p>
        Requests are limited for all callers together and for each IP address; the deployment sets the numbers. As it is
        delivered, an address sends 6,000 requests in five minutes, 100 of them to the public revocation, and everybody
        together 500 a second. One person <a href="#searchAccounts">searches for accounts</a>{' '}
        {limits.accountSearchesPerMinuteMax} times a minute and is issued {limits.dataCredentialsPerMinuteMax}{' '}
        <a href="#createDataCredentials">data credentials</a>. An account makes data public again{' '}
        {limits.reopeningsPerHourMax} times an hour; the first opening of a repository is free.
      </p>
      <p>
        Past that the answer is 429 with the code{' '}
        <a href="#problem-throttled">
          <code>throttled</code>
        </a>
        , or, from the gateway itself, JSON with a <code>message</code> alone: go by the status. Wait as many seconds as{' '}
        <code>Retry-After</code> says; without it a second, twice as long each time you are refused again. Send creates
        with an{' '}
        <a href="#retries">
          <code>Idempotency-Key</code>
        </a>
        . Limits on how many there may be of something are 409 with the code{' '}
        <a href="#problem-limit_reached">
          <code>limit_reached</code>
        </a>
        .
      </p>
    </>
  );
}

function browsers(): ComponentChildren {
  const { methods, headers, exposedHeaders, maxAgeSeconds } = managementCors;
  const list = (names: readonly string[]) => (
    <>
      {names.map((name, index) => (
        <>
          {index === 0 ? '' : ', '}
          <code>{name}</code>
        </>
      ))}
    </>
  );
  return (
    <>
      <p>
        Pages of the origins that the deployment names may call this API; without any, none may. The token goes in the{' '}
        <code>Authorization</code> header: cookies are neither set nor read.
      </p>
      <table class="fields">
        <tr>
          <th scope="row">Methods</th>
          <td>{list(methods)}</td>
        </tr>
        <tr>
          <th scope="row">Headers a page may send</th>
          <td>{list(headers)}</td>
        </tr>
        <tr>
          <th scope="row">Headers a page may read</th>
          <td>{list(exposedHeaders)}</td>
        </tr>
        <tr>
          <th scope="row">A preflight is cached for</th>
          <td>{maxAgeSeconds / 3600} hour</td>
        </tr>
      </table>
      <p>
        Open data at the data proxy are read by pages of any origin. A refusal can be read there as well; a page that
        sees a network error in place of an answer has no connection, or is of an origin that is not named.
      </p>
    </>
  );
}

function refusalsByStatus({ paths, components }: OpenApiDocument): Map<string, AnswerObject> {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const found = operations.flatMap(({ responses }) =>
    Object.entries(responses).flatMap(([status, answer]): [string, AnswerObject][] => {
      const named =
        '$ref' in answer ? components.responses[answer.$ref.slice(answer.$ref.lastIndexOf('/') + 1)] : undefined;
      return named === undefined ? [] : [[status, named]];
    }),
  );
  return new Map(found.sort(([a], [b]) => Number(a) - Number(b)));
}
