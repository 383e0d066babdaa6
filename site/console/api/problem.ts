import { texts } from '../texts.ts';

/** A refusal of the API: what it is by `code`, and what to say at which field. */
export class Problem extends Error {
  readonly code: string;
  readonly status: number;
  /** Sentences by the path of the field in the body: `meta.title`. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(status: number, code: string, sentence: string, fields: Record<string, string> = {}) {
    super(sentence);
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

/** @param body the problem document, or whatever came instead */
export function toProblem(status: number, body: unknown): Problem {
  const { code, detail, title, errors } = (typeof body === 'object' && body !== null ? body : {}) as {
    code?: unknown;
    detail?: unknown;
    title?: unknown;
    errors?: unknown;
  };
  const fields: Record<string, string> = {};
  for (const each of Array.isArray(errors) ? errors : []) {
    const { path, message } = (each ?? {}) as { path?: unknown; message?: unknown };
    if (typeof path === 'string' && typeof message === 'string') fields[path] ??= message;
  }
  const known = typeof code === 'string' ? code : 'unknown';
  const sentence = [texts.problems[known], detail, title].find((each) => typeof each === 'string');
  return new Problem(status, known, typeof sentence === 'string' ? sentence : texts.failed, fields);
}

/** What to say of whatever was thrown. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  // What fetch throws where there is no line.
  if (error instanceof TypeError) return new Problem(0, 'no_connection', texts.noConnection);
  return new Problem(0, 'unknown', texts.failed);
}
