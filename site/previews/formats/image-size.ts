/** Returns the size of a PNG, JPEG, WebP, or AVIF image from its first bytes, or undefined for other content. */
export function imageSize(bytes: Uint8Array): { width: number; height: number } | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    return pngSize(view) ?? jpegSize(view) ?? webpSize(view) ?? avifSize(view);
  } catch {
    // The given bytes end before the image size.
    return undefined;
  }
}

function pngSize(view: DataView) {
  if (view.getUint32(0) !== 0x89504e47 || view.getUint32(12) !== 0x49484452) return undefined;
  return { width: view.getUint32(16), height: view.getUint32(20) };
}

/** Reads the size of a JPEG from the frame header: the first marker from C0 to CF that does not begin a table. */
function jpegSize(view: DataView) {
  if (view.getUint16(0) !== 0xffd8) return undefined;
  for (let at = 2; ; ) {
    const marker = view.getUint16(at);
    if (marker >> 8 !== 0xff) return undefined;
    const kind = marker & 0xff;
    if (kind >= 0xc0 && kind <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(kind)) {
      return { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
    }
    at += 2 + (kind === 0xff ? -1 : view.getUint16(at + 2));
  }
}

function webpSize(view: DataView) {
  if (view.getUint32(0) !== 0x52494646 || view.getUint32(8) !== 0x57454250) return undefined;
  const kind = view.getUint32(12);
  const uint24 = (at: number) => view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
  if (kind === 0x56503858) return { width: uint24(24) + 1, height: uint24(27) + 1 };
  if (kind === 0x56503820)
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
  if (kind !== 0x5650384c) return undefined;
  const bits = view.getUint32(21, true);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

/**
 * Reads the size of an AVIF image from the `ispe` boxes. Takes the largest one, because thumbnails also have such a
 * box.
 */
function avifSize(view: DataView) {
  if (view.getUint32(4) !== 0x66747970) return undefined;
  let size: { width: number; height: number } | undefined;
  for (let at = 8; at + 16 <= Math.min(view.byteLength, 4096); at += 1) {
    if (view.getUint32(at) !== 0x69737065) continue;
    const found = { width: view.getUint32(at + 8), height: view.getUint32(at + 12) };
    if (size === undefined || found.width * found.height > size.width * size.height) size = found;
  }
  return size;
}
