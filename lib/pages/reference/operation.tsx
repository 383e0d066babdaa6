import type { ComponentChildren } from 'preact';
import type {
  AnswerObject,
  HttpMethod,
  MediaType,
  OpenApiDocument,
  OperationObject,
  Parameter,
  Reference,
} from '../../openapi/document-types.ts';
import { bodyFields, fieldRow, typeOf } from './schema.tsx';
import { CodeBlock, JsonCode, Prose, Rows } from './text.tsx';

export interface DescribedOperation {
  method: HttpMethod;
  /** The URL of the operation with the base path, as in the first line of an HTTP request. */
  url: string;
  operation: OperationObject;
}

export function operationSection(
  { method, url, operation }: DescribedOperation,
  document: OpenApiDocument,
): ComponentChildren {
  const { operationId, summary, description } = operation;
  const body = operation.requestBody?.content['application/json'];
  return (
    <section class="operation" id={operationId}>
      <h3>
        {summary}{' '}
        <a class="self" href={`#${operationId}`} aria-label={`Link to ${summary}`}>
          #
        </a>
      </h3>
      <p class="endpoint">
        {badge(method)} <code>{pathOf(url)}</code>
      </p>
      <div class="columns">
        <div class="words">
          <p>
            <Prose text={description} />
          </p>
          {parameterTable(operation, document)}
          {body && <h4>Body</h4>}
          {body && bodyFields(body.schema, document)}
          <h4>Responses</h4>
          <ul class="answers">{successes(operation)}</ul>
          {refusalLinks(operation, document)}
        </div>
        <div class="examples">{examples({ method, url, operation })}</div>
      </div>
    </section>
  );
}

export function badge(method: HttpMethod): ComponentChildren {
  return <span class={`method ${method}`}>{method.toUpperCase()}</span>;
}

/** Renders a path in which parameters are marked. A long path may break after a slash. */
function pathOf(url: string): ComponentChildren {
  const segments = url.split('/').slice(1);
  return (
    <>
      {segments.map((segment) => (
        <>
          /<wbr />
          {segment.startsWith('{') ? <var>{segment}</var> : segment}
        </>
      ))}
    </>
  );
}

function parameterTable({ parameters = [] }: OperationObject, document: OpenApiDocument): ComponentChildren {
  if (parameters.length === 0) return undefined;
  const rows = parameters.map((parameter) => {
    const { name, required, schema, description } = resolve(parameter, document.components.parameters);
    return fieldRow({ name, isRequired: required, schema, description });
  });
  return (
    <>
      <h4>Parameters</h4>
      <Rows rows={rows} />
    </>
  );
}

function successes({ responses }: OperationObject): ComponentChildren[] {
  return Object.entries(responses).flatMap(([status, answer]) => {
    if ('$ref' in answer) return [];
    const content = Object.entries(answer.content ?? {});
    const headers = Object.entries(answer.headers ?? {});
    return [
      <li>
        <span class="status ok">{status}</span> {answer.description}
        {content.map(([type, { schema }]) => (
          <>: {type === 'application/json' ? typeOf(schema) : <code>{type}</code>}</>
        ))}
        {headers.map(([name, { description }]) => (
          <p class="header">
            <code>{name}</code> <Prose text={description} />
          </p>
        ))}
      </li>,
    ];
  });
}

function refusalLinks({ responses }: OperationObject, document: OpenApiDocument): ComponentChildren {
  const refusals = Object.entries(responses).filter(([, answer]) => '$ref' in answer);
  const links = refusals.map(([status, answer]) => {
    const { description } = resolve(answer, document.components.responses);
    return (
      <>
        <a class="status" href={`#refusal-${status}`} title={description.replaceAll('`', '')}>
          {status}
        </a>{' '}
      </>
    );
  });
  return <p class="refusals">{links}</p>;
}

function examples(described: DescribedOperation): ComponentChildren {
  const { requestBody, responses } = described.operation;
  const sent = requestBody?.content['application/json']?.example;
  const received = Object.values(responses)
    .map(exampleOf)
    .find((example) => example !== undefined);
  return (
    <>
      <CodeBlock title="Request">{curl(described)}</CodeBlock>
      {example('request.json', sent)}
      {example('Response', received)}
    </>
  );
}

function example(title: string, value: unknown): ComponentChildren {
  if (value === undefined) return undefined;
  return (
    <CodeBlock title={title}>
      <JsonCode value={value} />
    </CodeBlock>
  );
}

/**
 * Returns a curl command for an operation. It reads the request body from a file, so that no text needs quotes for the
 * shell. A secret in a command line would be visible to other users of the machine.
 */
function curl({ method, url, operation }: DescribedOperation): string {
  const parameters = (operation.parameters ?? []).flatMap((parameter) => ('$ref' in parameter ? [] : parameter));
  const query = parameters.flatMap(({ name, in: location, example }) =>
    location === 'query' && example !== undefined ? `${name}=${encodeURIComponent(String(example))}` : [],
  );
  const path = parameters.reduce((filled, parameter) => {
    if (parameter.in !== 'path') return filled;
    return filled.replace(`{${parameter.name}}`, String(parameter.example ?? `{${parameter.name}}`));
  }, url);
  const lines = [
    `curl ${method === 'get' ? '' : `-X ${method.toUpperCase()} `}"$SLUICE_URL${[path, ...(query.length === 0 ? [] : [query.join('&')])].join('?')}"`,
    ...(operation.security.some((scheme) => 'bearerToken' in scheme)
      ? ['-H "Authorization: Bearer $SLUICE_TOKEN"']
      : []),
    ...(operation.requestBody === undefined ? [] : ['-H "Content-Type: application/json"', '--data @request.json']),
  ];
  return lines.join(' \\\n  ');
}

function exampleOf(answer: AnswerObject | Reference): unknown {
  if ('$ref' in answer) return undefined;
  const [content]: (MediaType | undefined)[] = Object.values(answer.content ?? {});
  return content?.example;
}

/**
 * Returns the component of the OpenAPI document to which a reference points. Returns a value that is no reference
 * unchanged.
 */
export function resolve<Thing extends Parameter | AnswerObject>(
  thing: Thing | Reference,
  named: Readonly<Record<string, Thing>>,
): Thing {
  if (!('$ref' in thing)) return thing;
  const found = named[thing.$ref.slice(thing.$ref.lastIndexOf('/') + 1)];
  if (found === undefined) throw new Error(`the document has no ${thing.$ref}`);
  return found;
}
