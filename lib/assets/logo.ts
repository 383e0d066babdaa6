import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { limits } from '../domain/limits.ts';

export interface Logo {
  /** The path of the logo below `assetsPath`. It contains a hash of the content. */
  name: string;
  bytes: Uint8Array;
}

/**
 * Reads the picture that a deployment shows beside its name. The content determines the type, not the file name. An SVG
 * must not contain scripts or load other files: pages show it as an image, in which browsers run no scripts, but a user
 * can open the file by its URL, which has the origin of the site.
 *
 * @throws Error with a sentence for the user when the file cannot be read, is too large, or is not a supported picture
 */
export function readLogo(file: string): Logo {
  const bytes = readFileSync(file);
  if (bytes.length > limits.logoBytesMax)
    throw new Error(`The logo must be at most ${limits.logoBytesMax} bytes: ${file}`);
  const kind = kindOf(bytes);
  if (kind === undefined) throw new Error(`The logo must be an SVG, PNG or WebP: ${file}`);
  if (kind === 'svg' && unsafe.test(bytes.toString('utf8'))) {
    throw new Error(`The logo must be an SVG without scripts, handlers of events and links to elsewhere: ${file}`);
  }
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
  return { name: `logo-${hash}.${kind}`, bytes: new Uint8Array(bytes) };
}

const unsafe =
  /<!(?:doctype|entity)|<\?xml-stylesheet|<\/?[\w:]*(?:script|foreignobject|iframe|handler|listener)\b|\son\w+\s*=|(?:href|src|to|values)\s*=\s*["']?\s*(?!#|["'])[^"'>]*:|url\(\s*["']?(?!#)|@import/i;

function kindOf(bytes: Buffer): 'svg' | 'png' | 'webp' | undefined {
  if (bytes.subarray(0, 8).equals(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))) return 'png';
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') return 'webp';
  const start = bytes.toString('utf8').replace(/^\ufeff?(?:<\?xml[^>]*\?>)?(?:\s|<!--[^>]*-->)*/, '');
  return start.startsWith('<svg') ? 'svg' : undefined;
}
