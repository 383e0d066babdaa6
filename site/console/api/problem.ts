import { texts } from '../texts.ts';

/** An error response of the API. `code` identifies the error, and `fields` has the messages for single form fields. */
export class Problem extends Error {
  readonly code: string;
  readonly status: number;
  /** Messages by field. The key is the field's path in the request body, such as `meta.title`. */
  readonly fields: Readonly<Record<string, string>>;
  /**
   * The ID of the resource that an earlier request created. Only with the code `secret_shown_once`: the resource's
   * secret was in a lost response and cannot be shown again.
   */
  readonly madeId: string | undefined;

  constructor(
    status: number,
    code: string,
    sentence: string,
    { fields = {}, madeId }: { fields?: Record<string, string>; madeId?: string | undefined } = {},
  ) {
    super(sentence);
    this.madeId = madeId;
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

/** @param body the problem document of the API, or any other body, for example an HTML error page of a proxy */
export function toProblem(status: number, body: unknown): Problem {
  const { code, detail, title, errors, made_id } = Object(body) as Readonly<Record<string, unknown>>;
  const fields: Record<string, string> = {};
  for (const each of Array.isArray(errors) ? errors : []) {
    const { path, message } = Object(each) as Readonly<Record<string, unknown>>;
    if (typeof path === 'string' && typeof message === 'string') fields[path] ??= message;
  }
  const known = typeof code === 'string' ? code : 'unknown';
  const sentence = [texts.problems[known], detail, title].find((each) => typeof each === 'string');
  return new Problem(status, known, sentence === undefined ? texts.failed : ended(sentence), {
    fields,
    madeId: typeof made_id === 'string' ? made_id : undefined,
  });
}

/**
 * Adds a full stop to a message. The API's messages have none, because programs insert these messages into their own
 * text.
 */
function ended(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

/**
 * Shows an API error at a form field, for an error `code` whose response names no field. Returns errors with another
 * code unchanged.
 */
export function atField(error: unknown, code: string, path: string): Problem {
  const problem = problemOf(error);
  if (problem.code !== code) return problem;
  return new Problem(problem.status, code, problem.message, { fields: { [path]: problem.message } });
}

/** Creates an error for one field that the page itself has checked, without a request to the API. */
export function faultAt(path: string, sentence: string): Problem {
  return new Problem(400, 'field_invalid', sentence, { fields: { [path]: sentence } });
}

/** Converts any thrown value to a `Problem`. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  // `fetch` throws a `TypeError` when there is no network connection.
  if (error instanceof TypeError) return new Problem(0, 'no_connection', texts.noConnection);
  return new Problem(0, 'unknown', texts.failed);
}
