import type {
  AnswerObject,
  HttpMethod,
  MediaType,
  OpenApiDocument,
  OperationObject,
  Parameter,
  Reference,
} from '../../openapi/document-types.ts';
import { codeBlock, html, jsonCode, type Markup, prose } from '../markup.ts';
import { bodyFields, fieldRow, typeOf } from './schema.ts';

export interface DescribedOperation {
  method: HttpMethod;
  /** With the base, as a request line has it. */
  url: string;
  operation: OperationObject;
}

export function operationSection({ method, url, operation }: DescribedOperation, document: OpenApiDocument): Markup {
  const { operationId, summary, description } = operation;
  const body = operation.requestBody?.content['application/json'];
  return html`<section class="operation" id="${operationId}">
<h3>${summary} <a class="self" href="#${operationId}" aria-label="Link to ${summary}">#</a></h3>
<p class="endpoint">${badge(method)} <code>${pathOf(url)}</code></p>
<div class="columns"><div class="words">
<p>${prose(description)}</p>
${parameterTable(operation, document)}
${body === undefined ? undefined : html`<h4>Body</h4>${bodyFields(body.schema, document)}`}
<h4>Answers</h4>
<ul class="answers">${successes(operation)}</ul>
${refusalLinks(operation, document)}
</div><div class="examples">${examples({ method, url, operation })}</div></div>
</section>`;
}

export function badge(method: HttpMethod): Markup {
  return html`<span class="method ${method}">${method.toUpperCase()}</span>`;
}

/** Parameters stand out, and a long path may break after a slash. */
function pathOf(url: string): Markup {
  const segments = url.split('/').slice(1);
  return html`${segments.map((segment) => html`/<wbr>${segment.startsWith('{') ? html`<var>${segment}</var>` : segment}`)}`;
}

function parameterTable({ parameters = [] }: OperationObject, document: OpenApiDocument): Markup | undefined {
  if (parameters.length === 0) return undefined;
  const rows = parameters.map((parameter) => {
    const { name, required, schema, description } = resolve(parameter, document.components.parameters);
    return fieldRow({ name, isRequired: required, schema, description });
  });
  return html`<h4>Parameters</h4><table class="fields"><tbody>${rows}</tbody></table>`;
}

function successes({ responses }: OperationObject): Markup[] {
  return Object.entries(responses).flatMap(([status, answer]) => {
    if ('$ref' in answer) return [];
    const content = Object.entries(answer.content ?? {});
    const headers = Object.entries(answer.headers ?? {});
    return [
      html`<li><span class="status ok">${status}</span> ${answer.description}${content.map(([type, { schema }]) => html`: ${type === 'application/json' ? typeOf(schema) : html`<code>${type}</code>`}`)}
${headers.map(([name, { description }]) => html`<p class="header"><code>${name}</code> ${prose(description)}</p>`)}</li>`,
    ];
  });
}

function refusalLinks({ responses }: OperationObject, document: OpenApiDocument): Markup {
  const refusals = Object.entries(responses).filter(([, answer]) => '$ref' in answer);
  const links = refusals.map(([status, answer]) => {
    const { description } = resolve(answer, document.components.responses);
    return html`<a class="status" href="#refusal-${status}" title="${description.replaceAll('`', '')}">${status}</a> `;
  });
  return html`<p class="refusals">${links}</p>`;
}

function examples(described: DescribedOperation): Markup {
  const { requestBody, responses } = described.operation;
  const sent = requestBody?.content['application/json']?.example;
  const received = Object.values(responses)
    .map(exampleOf)
    .find((example) => example !== undefined);
  return html`${codeBlock('Request', html`${curl(described)}`)}${
    sent === undefined ? undefined : codeBlock('request.json', jsonCode(sent))
  }${received === undefined ? undefined : codeBlock('Answer', jsonCode(received))}`;
}

/** The body comes from a file: a command line is no place for secrets, and needs no quoting then. */
function curl({ method, url, operation }: DescribedOperation): string {
  const parameters = (operation.parameters ?? []).flatMap((parameter) => ('$ref' in parameter ? [] : parameter));
  const query = parameters.flatMap(({ name, in: place, example }) =>
    place === 'query' && example !== undefined ? `${name}=${encodeURIComponent(String(example))}` : [],
  );
  const path = parameters.reduce((filled, parameter) => {
    if (parameter.in !== 'path') return filled;
    return filled.replace(`{${parameter.name}}`, String(parameter.example ?? `{${parameter.name}}`));
  }, url);
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$SLUICE_URL${[path, ...(query.length === 0 ? [] : [query.join('&')])].join('?')}"`,
    ...(operation.security.some((way) => 'bearerToken' in way) ? ['-H "Authorization: Bearer $SLUICE_TOKEN"'] : []),
    ...(operation.requestBody === undefined ? [] : ['-H "Content-Type: application/json"', '--data @request.json']),
  ];
  return lines.join(' \\\n  ');
}

function exampleOf(answer: AnswerObject | Reference): unknown {
  if ('$ref' in answer) return undefined;
  const [content]: (MediaType | undefined)[] = Object.values(answer.content ?? {});
  return content?.example;
}

function resolve<Thing extends Parameter | AnswerObject>(
  thing: Thing | Reference,
  named: Readonly<Record<string, Thing>>,
): Thing {
  if (!('$ref' in thing)) return thing;
  const found = named[thing.$ref.slice(thing.$ref.lastIndexOf('/') + 1)];
  if (found === undefined) throw new Error(`the document has no ${thing.$ref}`);
  return found;
}
