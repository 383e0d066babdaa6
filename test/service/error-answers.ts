import { expect } from 'vitest';
import { type ProblemCode, problems, problemType } from '../../lib/operations/problems.ts';
import type { ReceivedAnswer } from '../lib/local/http-client.ts';
import type { Answer } from './test-service.ts';

/** The three forms of error responses. Each check covers the relevant headers and every byte of the body. */

interface ExpectedProblem {
  status: number;
  code: ProblemCode;
  detail: string;
  errors?: { path: string; message: string }[];
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function expectProblem({ status, headers, body }: Answer, expected: ExpectedProblem): void {
  expect(body).toEqual({
    type: problemType(expected.code),
    title: problems[expected.code].title,
    ...expected,
    request_id: expect.stringMatching(uuid),
  });
  expect(status).toBe(expected.status);
  expect(headers.get('content-type')).toBe('application/problem+json');
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('apigw-requestid')).toBe(body.request_id);
  expect(headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null);
}

interface ExpectedXmlError {
  status: number;
  code: string;
  message: string;
}

/** The response is the same for missing rights and for a missing resource. */
export const deniedError = {
  status: 403,
  code: 'AccessDenied',
  message: 'The repository does not exist or these credentials do not allow this; check the path and the grants.',
};

/** The response is the same for every request without credentials. */
export const unsignedError = {
  ...deniedError,
  message:
    'This request needs credentials and came without any; check the path, and check that the client finds its credentials and signs with them.',
};

/** An error from storage. The function that returns it does not know the path, so the error names no resource. */
export const absentError = { status: 404, code: 'NoSuchKey', message: 'The object does not exist.' };

/** @param resource the path in the error, or undefined if it has none */
export function expectS3Error(
  { status, headers, body }: ReceivedAnswer,
  { code, message, ...expected }: ExpectedXmlError,
  resource: string | undefined,
): void {
  const requestId = headers['x-amz-request-id'];
  expect(requestId).toMatch(/^[\w-]{56}$/);
  expect(body.toString()).toBe(
    `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message>` +
      `${resource === undefined ? '' : `<Resource>${resource}</Resource>`}<RequestId>${requestId}</RequestId></Error>`,
  );
  expect(status).toBe(expected.status);
  expect(headers['content-type']).toBe('application/xml');
}

/** Checks an error of the exchange. In `message`, `<request id>` stands for the ID of the response. */
export function expectExchangeError(
  { status, headers, body }: ReceivedAnswer,
  { code, message, ...expected }: ExpectedXmlError,
): void {
  const requestId = String(headers['x-amz-request-id']);
  expect(requestId).toMatch(/^[\w-]{56}$/);
  expect(body.toString()).toBe(
    `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>${code}</Code>` +
      `<Message>${message.replace('<request id>', requestId)}</Message></Error>` +
      `<RequestId>${requestId}</RequestId></ErrorResponse>\n`,
  );
  expect(status).toBe(expected.status);
  expect(headers['content-type']).toBe('text/xml');
  expect(headers['cache-control']).toBe('no-store');
}
