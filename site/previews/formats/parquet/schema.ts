import type { ParquetParsers, SchemaTree } from 'hyparquet';
import type { Column } from '../../../../lib/pages/site/tables.tsx';

const depthMax = 3;
const lengthMax = 80;

const plainTypes = {
  BOOLEAN: 'boolean',
  INT32: 'int32',
  INT64: 'int64',
  INT96: 'timestamp',
  FLOAT: 'float',
  DOUBLE: 'double',
  BYTE_ARRAY: 'binary',
  FIXED_LEN_BYTE_ARRAY: 'binary',
} as const;

/** Returns a column of the table. Its type is written like `list<struct<a: int32>>`. */
export function columnOf(tree: SchemaTree): Column {
  const type = typeOf(tree, 0);
  return {
    name: tree.element.name,
    type: type.length > lengthMax ? `${type.slice(0, lengthMax)}…` : type,
    isNumber: /^(u?int|float|double|decimal)/.test(type),
  };
}

function typeOf(tree: SchemaTree, depth: number): string {
  const { element, children } = tree;
  const type = children.length === 0 ? leafType(tree) : depth > depthMax ? '…' : groupType(tree, depth);
  return element.repetition_type === 'REPEATED' && depth === 0 ? `list<${type}>` : type;
}

function groupType({ element, children }: SchemaTree, depth: number): string {
  const logical = element.logical_type?.type ?? element.converted_type;
  const [first] = children;
  if (logical === 'LIST' && first !== undefined) {
    // Parquet stores a list as a repeated group with one element. The type of the column omits this group.
    return `list<${typeOf(first.children.length === 1 ? (first.children[0] ?? first) : first, depth + 1)}>`;
  }
  const fields = children.slice(0, 8);
  if ((logical === 'MAP' || logical === 'MAP_KEY_VALUE') && first !== undefined) {
    return `map<${first.children.map((child) => typeOf(child, depth + 1)).join(', ')}>`;
  }
  const shown = fields.map((child) => `${child.element.name}: ${typeOf(child, depth + 1)}`);
  return `struct<${shown.join(', ')}${fields.length < children.length ? ', …' : ''}>`;
}

function leafType({ element }: SchemaTree): string {
  const { type, logical_type: logical, converted_type: converted, precision, scale, type_length: length } = element;
  switch (logical?.type) {
    case 'STRING':
    case 'JSON':
    case 'DATE':
    case 'ENUM':
    case 'UUID':
    case 'FLOAT16':
    case 'GEOMETRY':
    case 'GEOGRAPHY':
      return logical.type.toLowerCase();
    case 'TIME':
      return 'time';
    case 'TIMESTAMP':
      return logical.isAdjustedToUTC ? 'timestamp, UTC' : 'timestamp';
    case 'INTEGER':
      return `${logical.isSigned ? '' : 'u'}int${logical.bitWidth}`;
    case 'DECIMAL':
      return `decimal(${logical.precision}, ${logical.scale})`;
    default:
  }
  if (converted === 'UTF8') return 'string';
  if (converted === 'DECIMAL') return `decimal(${precision ?? 0}, ${scale ?? 0})`;
  if (converted?.startsWith('TIMESTAMP')) return 'timestamp';
  if (converted !== undefined) return converted.toLowerCase().replace('_', '');
  const plain = type === undefined ? 'group' : plainTypes[type];
  return type === 'FIXED_LEN_BYTE_ARRAY' ? `${plain}(${length ?? 0})` : plain;
}

/** Parsers of the column types. Times keep the number of decimal places that they have in the file. */
export const parsers: Partial<ParquetParsers> = {
  timestampFromMilliseconds: (value) => timeOf(value, 3),
  timestampFromMicroseconds: (value) => timeOf(value, 6),
  timestampFromNanoseconds: (value) => timeOf(value, 9),
  dateFromDays: (days) => dateOf(days * 86_400_000)?.slice(0, 10) ?? `day ${days}`,
  // Show JSON as the text in the file, and geometries as bytes, without parsing them.
  jsonFromBytes: (bytes) => bytes && new TextDecoder().decode(bytes),
  geometryFromBytes: (bytes) => bytes,
  geographyFromBytes: (bytes) => bytes,
};

function timeOf(value: bigint, digits: number): string {
  const unit = 10n ** BigInt(digits);
  const seconds = (value - (((value % unit) + unit) % unit)) / unit;
  const rest = value - seconds * unit;
  const text = dateOf(Number(seconds) * 1000);
  if (text === undefined) return String(value);
  const fraction =
    rest === 0n
      ? ''
      : `.${rest
          .toString()
          .padStart(digits, '0')
          .replace(/(?<!0)0+$/, '')}`;
  return text.slice(0, 19).replace('T', ' ') + fraction;
}

function dateOf(milliseconds: number): string | undefined {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().replace(/^\+0+/, '');
}
