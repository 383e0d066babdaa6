import type { ReadingLimits, ScriptedFormat } from '../../../lib/pages/site/previews/scripted.ts';
import type { Preview } from '../preview.ts';
import type { Refusal } from './refusal.ts';

/** From the page to the worker, once. */
export interface Started {
  format: ScriptedFormat;
  fileBytes: number;
  limits: ReadingLimits;
}

/** From the page to the worker, for each range. */
export type Asked =
  | { kind: 'bytes'; id: number; bytes: Uint8Array }
  | { kind: 'refused'; id: number; refusal: Refusal };

/** From the worker to the page. */
export type Answered =
  | { kind: 'read'; id: number; start: number; end: number }
  | { kind: 'shown'; preview: Preview }
  | { kind: 'refused'; refusal: Refusal };
