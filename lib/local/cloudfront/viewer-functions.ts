import type { CloudFrontHeaders } from 'aws-lambda';
import { runnableViewerFunction } from '../../assets/viewer-functions.ts';
import type {
  ViewerRequest as ForwardedRequest,
  OwnResponse,
  ViewerFields,
  ViewerRequestEvent,
  ViewerResponseEvent,
  ViewerSettings,
} from '../../edge/viewer/events.ts';
import type { FunctionResponse } from './functions.ts';
import type { ViewerRequest } from './viewer-request.ts';

export interface ViewerFunctions {
  /**
   * Runs the viewer-request function of a cache behavior. Returns the request that the function forwards, or the
   * response that the function creates.
   */
  onRequest(
    viewer: ViewerRequest,
    behavior: 'exchange' | 'objects',
    requestId: string,
  ): ViewerRequest | FunctionResponse;
  /**
   * Runs the viewer-response function and returns the headers for the viewer. Like CloudFront, it runs the function
   * only for statuses below 400.
   */
  onResponse(status: number, headers: CloudFrontHeaders): CloudFrontHeaders;
}

/** Creates viewer functions that run the same source code as a deployment. */
export function createViewerFunctions(settings: ViewerSettings): ViewerFunctions {
  const onObjectRequest = runnableViewerFunction('object-request', settings);
  const onExchangeRequest = runnableViewerFunction('exchange-request');
  const onResponse = runnableViewerFunction('object-response');
  return {
    onRequest(viewer, behavior, requestId) {
      const event = requestEvent(viewer, { requestId });
      return resultOf(viewer, behavior === 'objects' ? onObjectRequest(event) : onExchangeRequest(event));
    },
    onResponse: (status, headers) => answered(onResponse, status, headers),
  };
}

/** The viewer functions for pages. */
export interface PageViewerFunctions extends Pick<ViewerFunctions, 'onResponse'> {
  onRequest(viewer: ViewerRequest, requestId: string): ViewerRequest | FunctionResponse;
}

export function createPageViewerFunctions(hosts: readonly string[]): PageViewerFunctions {
  const onRequest = runnableViewerFunction('page-request', { siteHosts: hosts });
  const onResponse = runnableViewerFunction('object-response');
  return {
    onRequest: (viewer, requestId) => resultOf(viewer, onRequest(requestEvent(viewer, { requestId }))),
    onResponse: (status, headers) => answered(onResponse, status, headers),
  };
}

/** Builds a viewer-request event. Cookies are in a separate field of the event. */
function requestEvent(viewer: ViewerRequest, context: ViewerRequestEvent['context']): ViewerRequestEvent {
  const { cookie, ...headers } = viewer.headers;
  const { method, rawPath, rawQuery } = viewer;
  const cookies = toFields(cookie === undefined ? {} : { cookie });
  const request = { method, uri: rawPath, querystring: parameters(rawQuery), headers: toFields(headers), cookies };
  return { context, request };
}

function resultOf(viewer: ViewerRequest, result: ForwardedRequest | OwnResponse): ViewerRequest | FunctionResponse {
  if (!('statusCode' in result)) return passedOn(viewer, result);
  return { status: result.statusCode, headers: fromFields(result.headers, {}), body: undefined };
}

function passedOn(viewer: ViewerRequest, left: ForwardedRequest): ViewerRequest {
  const headers = fromFields(left.headers, viewer.headers);
  const { cookie } = viewer.headers;
  if (cookie !== undefined && 'cookie' in left.cookies) headers['cookie'] = cookie;
  return { ...viewer, rawPath: left.uri, rawQuery: remaining(viewer.rawQuery, left.querystring), headers };
}

function answered(
  run: (event: ViewerResponseEvent) => ViewerResponseEvent['response'],
  status: number,
  headers: CloudFrontHeaders,
): CloudFrontHeaders {
  if (status >= 400) return headers;
  const response = run({ response: { statusCode: status, headers: toFields(headers) } });
  return fromFields(response.headers, headers);
}

function toFields(headers: CloudFrontHeaders): ViewerFields {
  const fields: ViewerFields = Object.create(null);
  for (const name in headers) {
    const lines = headers[name] ?? [];
    const value = lines[0]?.value ?? '';
    fields[name] = lines.length > 1 ? { value, multiValue: lines.map((line) => ({ value: line.value })) } : { value };
  }
  return fields;
}

/**
 * Returns the headers after a viewer function has run. Headers that the function did not change keep their original
 * form.
 */
function fromFields(fields: ViewerFields, given: CloudFrontHeaders): CloudFrontHeaders {
  const headers: CloudFrontHeaders = Object.create(null);
  for (const name in fields) {
    const field = fields[name];
    if (field === undefined) continue;
    const before = given[name];
    const isSame = before !== undefined && before.length > 1 === (field.multiValue !== undefined);
    headers[name] = isSame && before[0]?.value === field.value ? before : [{ key: name, value: field.value }];
  }
  return headers;
}

const nameOf = (parameter: string) => parameter.split('=', 1)[0] ?? '';

/** Parses the query string without percent-decoding it, as CloudFront does. */
function parameters(rawQuery: string): ViewerFields {
  const found: ViewerFields = Object.create(null);
  if (rawQuery === '') return found;
  for (const parameter of rawQuery.split('&')) {
    const name = nameOf(parameter);
    const given = { value: parameter.slice(name.length + 1) };
    const before = found[name];
    if (before === undefined) found[name] = given;
    // Add the value to the existing array. Copying the array each time would take quadratic time for a parameter with
    // many values.
    else if (before.multiValue === undefined) found[name] = { value: before.value, multiValue: [before, given] };
    else before.multiValue.push(given);
  }
  return found;
}

/**
 * Returns the query string without the parameters that the function removed, and with the parameters that it set. All
 * other parameters keep their order and every byte, because the query may be signed.
 */
function remaining(rawQuery: string, left: ViewerFields): string {
  const given = parameters(rawQuery);
  // Compare each name only once. Comparing it for each parameter would take quadratic time if one parameter is repeated
  // often.
  const set = new Set(Object.keys(left).filter((name) => JSON.stringify(given[name]) !== JSON.stringify(left[name])));
  const kept = rawQuery.split('&').filter((parameter) => {
    const name = nameOf(parameter);
    return name in left && !set.has(name);
  });
  return [...kept, ...Array.from(set, (name) => `${name}=${left[name]?.value}`)].join('&');
}
