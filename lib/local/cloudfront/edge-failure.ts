import { xmlTextElement } from '../../domain/xml.ts';

/** An error response that CloudFront itself would create, in the XML form that S3 clients can parse. */
export class EdgeFailure extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, sentence: string, options: { cause?: unknown } = {}) {
    super(sentence, options);
    this.name = 'EdgeFailure';
    this.status = status;
    this.code = code;
  }
}

/** Returns the error for a result of a function that CloudFront rejects. */
export function invalidResult(sentence: string): EdgeFailure {
  return new EdgeFailure(502, 'LambdaValidationError', sentence);
}

export function renderFailure(failure: EdgeFailure, requestId: string): string {
  const fields = [
    xmlTextElement('Code', failure.code),
    xmlTextElement('Message', failure.message),
    xmlTextElement('RequestId', requestId),
  ].join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${fields}</Error>`;
}
