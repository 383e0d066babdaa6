import { type ScriptedFormat, type ScriptedKind, scriptedKinds } from '../../../lib/pages/site/previews/scripted.ts';
import { PreviewRefusal } from './refusal.ts';

/**
 * Checks the signature bytes of a format.
 *
 * @param bytes the start of the file, or its end for a format with its signature there
 */
export function checkSignature(format: ScriptedFormat, bytes: Uint8Array): void {
  const { signature }: ScriptedKind = scriptedKinds[format];
  if (signature === undefined) return;
  const isFound = signature.texts.some((text) => {
    const found = signature.at === 'start' ? bytes.subarray(0, text.length) : bytes.subarray(-text.length);
    return String.fromCharCode(...found) === text;
  });
  if (!isFound) throw new PreviewRefusal('not-of-this-format');
}
