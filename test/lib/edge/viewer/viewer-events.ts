import type { ViewerFields, ViewerRequestEvent } from '../../../../lib/edge/viewer/events.ts';

export interface Sent {
  method?: string;
  uri?: string;
  /** `name=value`, undecoded. A name may occur twice. */
  query?: string[];
  /** A list of values stands for a header that occurs several times. */
  headers?: Record<string, string | string[]>;
  cookies?: ViewerFields;
}

export function viewerEvent({ method = 'GET', uri = '/tides/gauges', query = [], headers = {}, cookies = {} }: Sent) {
  const querystring: ViewerFields = {};
  for (const parameter of query) {
    const [name = '', value = ''] = parameter.split('=');
    const before = querystring[name];
    querystring[name] = before === undefined ? { value } : { ...before, multiValue: [before, { value }] };
  }
  const fields: ViewerFields = {};
  for (const [name, given] of Object.entries(headers)) {
    const values = [given].flat().map((value) => ({ value }));
    fields[name] = { value: values[0]?.value ?? '', ...(values.length > 1 && { multiValue: values }) };
  }
  const context = { requestId: 'own-id', distributionDomainName: 'd1.cloudfront.net' };
  return { context, request: { method, uri, querystring, headers: fields, cookies } } satisfies ViewerRequestEvent;
}
