import { type ScriptedFormat, type ScriptedKind, scriptedKinds } from '../../../lib/pages/site/previews/scripted.ts';
import { PreviewRefusal } from './refusal.ts';

/**
 * Checks the declared signature of a format.
 *
 * @param bytes the start of the file, or its end if the signature is there
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
