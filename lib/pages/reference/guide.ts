import { limits } from '../../domain/limits.ts';
import type { AnswerObject, OpenApiDocument } from '../../openapi/document-types.ts';
import { problems, problemType } from '../../operations/problems.ts';
import { codeBlock, html, jsonCode, type Markup, prose } from '../markup.ts';

/** What holds for every operation: URLs, identity, lists, retries, refusals. */
export function guideSections(document: OpenApiDocument): { id: string; title: string; content: Markup }[] {
  return [
    { id: 'basics', title: 'Basics', content: basics() },
    { id: 'identity', title: 'Who you are', content: identity(document) },
    { id: 'lists', title: 'Lists', content: lists() },
    { id: 'retries', title: 'Safe retries', content: retries() },
    { id: 'versions', title: 'Two people, one thing', content: versions() },
    { id: 'refusals', title: 'Refusals', content: refusals(document) },
  ];
}

function basics(): Markup {
  return html`<p>Bodies are JSON in both directions, at most 64 KiB on the way in, and a field that an operation does not know is refused. Times are RFC 3339 in UTC with milliseconds. A text's length is counted in Unicode code points.</p>
<p>The examples take the URL of this service from <code>SLUICE_URL</code> and your token from <code>SLUICE_TOKEN</code>. The same description for programs is at <a href="openapi.json"><code>openapi.json</code></a> (OpenAPI 3.1).</p>`;
}

function identity({ components }: OpenApiDocument): Markup {
  const { bearerToken, apiKey } = components.securitySchemes;
  return html`<dl>
<dt>Bearer token</dt><dd>${prose(bearerToken?.['description'] ?? '')}<pre tabindex="0"><code>Authorization: Bearer &lt;token&gt;</code></pre></dd>
<dt>API key</dt><dd>${prose(apiKey?.['description'] ?? '')} The key of a user account reads what that user may, makes and updates repositories and updates profiles; everything else needs a bearer token, as each operation says. The keys of organizations, repositories and service accounts are for data; here they may only ask who they are.<pre tabindex="0"><code>Authorization: &lt;access_key_id&gt; &lt;secret_access_key&gt;</code></pre></dd>
</dl>
<p>A header that is there but not valid is refused, except where an operation needs no credential. Unauthorized callers can't tell whether something exists.</p>`;
}

function lists(): Markup {
  return html`<p>A list is a JSON array, oldest first (audit events newest first), with at most ${limits.listPageMax} entries. <code>limit</code> asks for fewer. While there is more, the answer has a <code>Link</code> header with <code>rel="next"</code>: follow it as it stands. Its cursor is good for you and this list alone.</p>`;
}

function retries(): Markup {
  return html`<p>Send an <code>Idempotency-Key</code> of your own with a create, and repeating it within 24 hours makes nothing twice: you get the first answer again. Secrets are not stored, so repeating the creation of a key is refused with 409 and the name of the key that was made. The same key with another request is refused with 422.</p>`;
}

function versions(): Markup {
  return html`<p>A GET of one thing has its version in <code>ETag</code>. Send that back in <code>If-Match</code> with a change of the thing: it is made only while nobody has changed the thing since you read it, and refused with 412 (<a href="#problem-stale"><code>stale</code></a>) otherwise. Read it again then and repeat your change. Without <code>If-Match</code> a change is made to what is there; fields that it does not send keep what others have set.</p>
<p>Where an answer is a record and nothing else, <code>If-None-Match</code> with the tag of what you have stored gives 304 without a body. The operations say which of the two they take.</p>`;
}

function refusals(document: OpenApiDocument): Markup {
  const rows = [...refusalsByStatus(document)].map(
    ([status, { description }]) =>
      html`<tr id="refusal-${status}"><th scope="row"><span class="status">${status}</span></th><td>${prose(description)}</td></tr>`,
  );
  const example = {
    type: problemType('field_invalid'),
    code: 'field_invalid',
    title: 'Invalid request',
    status: 400,
    detail: 'The request is not valid: expires: must lie in the future',
    request_id: 'JKJaXmPLvHcESHA=',
    errors: [{ path: 'expires', message: 'must lie in the future' }],
  };
  return html`<div class="columns"><div class="words"><p>Refusals are <a href="#schema-Problem">problem documents</a> (RFC 9457, <code>application/problem+json</code>). <code>code</code> says what happened, <code>detail</code> what to do; name the <code>request_id</code> when you ask for help.</p>
<table class="fields narrow">${rows}</table></div><div class="examples">${codeBlock('A refusal', jsonCode(example))}</div></div>
<h3 id="problem-codes">Problem codes</h3>
<p>Decide by <code>code</code>, never by a sentence. The list is closed: codes are neither renamed nor taken away. <code>type</code> is the URL of the row.</p>
<table class="fields">${Object.entries(problems).map(
    ([code, { status, meaning, remedy }]) =>
      html`<tr id="problem-${code}"><th scope="row"><code>${code}</code> <span class="status">${status}</span></th><td>${prose(meaning)} ${prose(remedy)}</td></tr>`,
  )}</table>`;
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
