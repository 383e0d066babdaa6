import { texts } from '../texts.ts';

/** A refusal of the API: what it is by `code`, and what to say at which field. */
export class Problem extends Error {
  readonly code: string;
  readonly status: number;
  /** Sentences by the path of the field in the body: `meta.title`. */
  readonly fields: Readonly<Record<string, string>>;
  /** Of `secret_shown_once`: what an earlier request made, whose answer nobody can have again. */
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

/** @param body the problem document, or whatever came instead */
export function toProblem(status: number, body: unknown): Problem {
  const { code, detail, title, errors, made_id } = (typeof body === 'object' && body !== null ? body : {}) as {
    code?: unknown;
    detail?: unknown;
    title?: unknown;
    errors?: unknown;
    made_id?: unknown;
  };
  const fields: Record<string, string> = {};
  for (const each of Array.isArray(errors) ? errors : []) {
    const { path, message } = (each ?? {}) as { path?: unknown; message?: unknown };
    if (typeof path === 'string' && typeof message === 'string') fields[path] ??= message;
  }
  const known = typeof code === 'string' ? code : 'unknown';
  const sentence = [texts.problems[known], detail, title].find((each) => typeof each === 'string');
  return new Problem(status, known, typeof sentence === 'string' ? ended(sentence) : texts.failed, {
    fields,
    madeId: typeof made_id === 'string' ? made_id : undefined,
  });
}

/** The API ends its sentences without a full stop, as programs put them into theirs. */
function ended(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** A refusal of this code said at the field that it concerns, where the API names none; any other as it is. */
export function atField(error: unknown, code: string, path: string): Problem {
  const problem = problemOf(error);
  if (problem.code !== code) return problem;
  return new Problem(problem.status, code, problem.message, { fields: { [path]: problem.message } });
}

/** What the page itself refuses before anything is sent, said at its field. */
export function faultAt(path: string, sentence: string): Problem {
  return new Problem(400, 'field_invalid', sentence, { fields: { [path]: sentence } });
}

/** What to say of whatever was thrown. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  // What fetch throws where there is no line.
  if (error instanceof TypeError) return new Problem(0, 'no_connection', texts.noConnection);
  return new Problem(0, 'unknown', texts.failed);
}
