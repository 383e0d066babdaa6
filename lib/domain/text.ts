import * as z from 'zod';

/** Lengths count Unicode code points, so that an emoji is one character and not two. */
export function codePointLength(text: string): number {
  return Array.from(text).length;
}

export function boundedText(lengthMax: number, lengthMin = 0) {
  return z.string().refine(
    (text) => {
      const length = codePointLength(text);
      return length >= lengthMin && length <= lengthMax;
    },
    lengthMin > 0 ? `must be ${lengthMin} to ${lengthMax} characters` : `must be at most ${lengthMax} characters`,
  );
}

export const timestampSchema = z.iso.datetime({ precision: 3 });
