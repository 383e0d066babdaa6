import { texts } from '../texts.ts';

/** A refusal of the API. `code` identifies it, and `fields` has the messages for single form fields. */
export class Problem extends Error {
  readonly code: string;
  readonly status: number;
  /** Messages by the path of the field in the request body, such as `meta.title`. */
  readonly fields: Readonly<Record<string, string>>;
  /** The ID of the resource that an earlier request created. Only with `secret_shown_once`: its secret is lost. */
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

/** @param body the problem document, or any other body, such as that of an intermediary */
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

/** Adds a full stop. The API's messages have none, so that programs can use them inside their own text. */
function ended(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** Assigns a refusal with this code to a form field that the API does not name. Returns other refusals unchanged. */
export function atField(error: unknown, code: string, path: string): Problem {
  const problem = problemOf(error);
  if (problem.code !== code) return problem;
  return new Problem(problem.status, code, problem.message, { fields: { [path]: problem.message } });
}

/** Creates a refusal of the page itself, for one field. The page sends no request. */
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
