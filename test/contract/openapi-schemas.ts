import { Ajv2020 } from 'ajv/dist/2020.js';
import * as formats from 'ajv-formats';
import type { OpenApiDocument } from '../../lib/openapi/document-types.ts';
import { type Operation, operationId } from '../../lib/operations/operation.ts';

/** Returns the error of a value according to the OpenAPI document, or undefined for a valid value. */
export type Fault = (value: unknown) => string | undefined;

/** Reads the document's schemas with an independent validator. */
export function schemasOf(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default.default(ajv);
  ajv.addSchema({ ...document }, 'document');

  function compile(pointer: readonly string[]): Fault {
    const escaped = pointer.map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).map(encodeURIComponent);
    const validate = ajv.compile({ $ref: `document#/${escaped.join('/')}` });
    return (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors));
  }

  return {
    /** Returns undefined when the document has no response with this status, or one without a body. */
    answer(operation: Operation, status: number, contentType: string): Fault | undefined {
      const { pointer, found } = describedOperation(document, operation);
      const answer = found.responses[String(status)];
      if (answer === undefined) return undefined;
      if ('$ref' in answer) return compile([...answer.$ref.slice(2).split('/'), 'content', contentType, 'schema']);
      if (answer.content?.[contentType] === undefined) return undefined;
      return compile([...pointer, 'responses', String(status), 'content', contentType, 'schema']);
    },
    body(operation: Operation): Fault {
      const { pointer } = describedOperation(document, operation);
      return compile([...pointer, 'requestBody', 'content', 'application/json', 'schema']);
    },
  };
}

export function describedOperation(document: OpenApiDocument, operation: Operation) {
  const method = operation.method.toLowerCase();
  const found = Object.entries(document.paths[operation.path] ?? {}).find(([name]) => name === method)?.[1];
  if (found?.operationId !== operationId(operation)) throw new Error(`${operation.name} is not in the document`);
  return { found, pointer: ['paths', operation.path, method] };
}
