/** An answer that the edge itself gives in place of a function or an origin, as an S3 client can read it. */
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

/** What a function returned is not what CloudFront takes. */
export function invalidResult(sentence: string): EdgeFailure {
  return new EdgeFailure(502, 'LambdaValidationError', sentence);
}

export function renderFailure(failure: EdgeFailure, requestId: string): string {
  const message = failure.message.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const fields = `<Code>${failure.code}</Code><Message>${message}</Message><RequestId>${requestId}</RequestId>`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${fields}</Error>`;
}
