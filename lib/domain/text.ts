import * as z from 'zod';
import { limits } from './limits.ts';

/** Counts Unicode code points, so that an emoji is one character and not two. */
export function codePointLength(text: string): number {
  return Array.from(text).length;
}

/** Returns the text in lower case and without accents, so that a search for `cafe` finds `Café`. */
export function foldText(text: string): string {
  if (/^[\x00-\x7f]*$/.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .normalize('NFC')
    .toLowerCase();
}

/** Returns a name of several words in lower case, without accents, and with single spaces between the words. */
export function foldPhrase(text: string): string {
  return foldText(text).trim().replaceAll(/\s+/g, ' ');
}

export function boundedText(lengthMax: number, lengthMin = 0) {
  return (
    z
      .string()
      // Reject a lone surrogate. JSON can contain one, but UTF-8 cannot, so the stored text would differ from the sent
      // text.
      .refine((text) => text.isWellFormed(), 'must be whole Unicode characters')
      .refine(
        (text) => {
          const length = codePointLength(text);
          return length >= lengthMin && length <= lengthMax;
        },
        lengthMin > 0 ? `must be ${lengthMin} to ${lengthMax} characters` : `must be at most ${lengthMax} characters`,
      )
  );
}

/**
 * A URL that a page may link to. Only http and https are allowed, because `javascript:` and other schemes could run
 * code.
 */
export const webUrlSchema = z
  .url({ protocol: /^https?$/, error: 'must be a URL that begins with https:// or http://' })
  .max(limits.webUrlLengthMax);

export const timestampSchema = z.iso.datetime({ precision: 3 });

/** The last millisecond with a year of four digits. */
export const lastMillisecond = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * A date and time with a time zone, up to the year 9999, converted to UTC with milliseconds. The schema does not check
 * that the time is in the future.
 */
export const futureTimestampSchema = z.iso
  .datetime({
    offset: true,
    error: 'must be a date and time with its zone, such as 2030-01-31T12:00:00Z',
    abort: true,
  })
  .refine((text) => Date.parse(text) <= lastMillisecond, 'must not lie beyond the year 9999')
  .transform((text) => new Date(text).toISOString());
