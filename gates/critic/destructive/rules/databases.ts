import type { Call } from "../call.ts";
import { hasAny, isDry, readTold } from "../options.ts";
import { isTemporary, placeOf } from "../places.ts";
import { byLine, type DoesHarm, type FindHarm, raising } from "./rule.ts";

const SQL_CLIENTS =
  /^(?:psql|mysql|mariadb|sqlite3?|sqlite-utils|sqlcmd|mssql-cli|duckdb|clickhouse(?:-client)?|cqlsh|usql|pgcli|mycli|litecli|snowsql|bq|trino|presto|hive|beeline|impala-shell|isql|db2|sqlplus|turso|wrangler|cockroach|spanner-cli|surreal|databricks|athena|vertica|vsql|supabase)$/;

/** Statements without their comments and quoted texts, one by one. */
const listStatements = (sql: string): string[] =>
  sql
    .replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, " ")
    .replace(/'(?:[^']|'')*'/g, "''")
    .split(";")
    .map((statement) => statement.replace(/\s+/g, " ").trim());

const LOSES =
  /\b(?:drop (?:database|schema|table|tables|keyspace|user|role|view|materialized view|collection|tablespace|owned)|truncate(?: table)? [\w"`.[\]]+|alter table .* drop (?:column|partition|(?!constraint|default|index|not|key|primary|foreign|check)\w)|reassign owned)\b/i;
const ALL_ROWS =
  /^(?:with .*\)\s*)?(?:delete from [\w"`.[\]]+(?: as \w+)?|update [\w"`.[\]]+ set (?!.*\bwhere\b).*)$/i;
const EVERY_ROW = /\bwhere\s+(?:1\s*=\s*1|true|'' ?= ?'')\s*$/i;

const TEST_NAME = /(?:^|[_\-/.])(?:test|tests|testing|tmp|scratch)(?:[_\-.\d]|$)/i;

/** Whether a piece of SQL takes away rows or what holds them. A temporary table is nobody's data. */
export const losesRows = (sql: string): boolean =>
  listStatements(sql).some((statement) => {
    if (
      /^(?:select|explain|show|describe|with .*\bselect\b)(?!.*\b(?:drop|truncate|delete)\b)/i.test(statement)
    )
      return false;
    if (/^(?:create|comment|grant|insert)\b/i.test(statement) && !/\btruncate\b/i.test(statement))
      return false;
    if (
      /\b(?:drop|truncate) (?:temporary|temp) |^drop table (?:if exists )?["`]?(?:temp|tmp)[_."`]/i.test(
        statement,
      )
    )
      return false;
    const [, database = ""] =
      /\bdrop (?:database|schema)(?: if exists)? ["`[]?([\w-]+)/i.exec(statement) ?? [];
    if (database !== "" && TEST_NAME.test(database)) return false;
    return LOSES.test(statement) || ALL_ROWS.test(statement) || EVERY_ROW.test(statement);
  });

const isTestDatabase = ({ words, env, places }: Call): boolean =>
  /^test$/i.test(
    env["RAILS_ENV"] ?? env["RACK_ENV"] ?? env["NODE_ENV"] ?? env["MIX_ENV"] ?? env["APP_ENV"] ?? "",
  ) ||
  words.some(
    (word) =>
      /^(?:--env(?:ironment)?=)?test(?:ing)?$/.test(word) ||
      word === ":memory:" ||
      (/\.(?:db|sqlite3?)$/.test(word) && isTemporary(placeOf(word, places), places)) ||
      TEST_NAME.test(/^\w+:\/\/[^/]+\/([\w-]+)/.exec(word)?.[1] ?? "") ||
      word === "--database=test",
  );

const nameIsTest = (words: readonly string[]): boolean =>
  words.some(
    (word, i) =>
      ((words[i - 1] === "-d" || words[i - 1] === "--dbname" || words[i - 1] === "-D") &&
        TEST_NAME.test(word)) ||
      (/^--(?:dbname|database)=/.test(word) && TEST_NAME.test(word)),
  );

const findSql: DoesHarm = (call) => {
  if (!SQL_CLIENTS.test(call.program)) return false;
  if (isTestDatabase(call) || nameIsTest(call.words)) return false;
  const said = [
    ...call.words.map((word) => word.replace(/^--?(?:c|e|q|Q|execute|command|query|sql)=?/, "")),
    call.input ?? "",
  ];
  return said.some(losesRows) || call.words.some((word) => /^\.drop\b/i.test(word));
};

const findDocuments: DoesHarm = ({ program, words, input }) => {
  const said = [...words, input ?? ""].join("\n");
  if (/^(?:mongo|mongosh)$/.test(program))
    return /\.dropDatabase\(|\.drop\(|(?:deleteMany|remove)\(\s*(?:\{\s*\})?\s*\)|\.dropCollection\(|dropUser/.test(
      said,
    );
  if (/^(?:redis-cli|valkey-cli|keydb-cli)$/.test(program)) return /\bflush(?:all|db)\b/i.test(said);
  return false;
};

/** A file that is a database, and not one made for tests. */
const isDatabaseFile = (path: string, { places }: Call): boolean =>
  /\.(?:sqlite3?|db|mdb|ibd|duckdb)$/i.test(path) &&
  !TEST_NAME.test(path) &&
  !isTemporary(placeOf(path, places), places);

const findFiles: DoesHarm = (call) =>
  call.program === "rm" && !isDry(call) && call.words.some((word) => isDatabaseFile(word, call));

const findTools = byLine([
  ["dropdb dropuser", /^(?!(?:.* )?(?!-)(?:\S*[_\-/.])?(?:tests?|testing|tmp|scratch)(?:[_\-.\d ]|$))/i],
  ["mysqladmin", /(?:^| )drop(?: |$)/],
  ["wp", /^db (?:reset|drop|clean)(?: |$)/],
  ["mongorestore pg_restore", /(?:^| )(?:--drop|--clean|-c)(?: |$)/],
  ["etcdctl", /^del(?: |$)/],
  ["influx", /^(?:\S+ )?delete(?: |$)/],
]);

/** What migration tools call it when they drop everything; each word of the list in this order. */
const TOOL_COMMANDS: readonly RegExp[] = [
  /^(?:rails|rake) (?:.* )?db:(?:drop|reset|purge|truncate_all|schema:load|migrate:reset|setup)(?::\w+)*(?: |$)/,
  /^prisma migrate reset\b/,
  /^prisma db push\b.*(?:--force-reset|--accept-data-loss)/,
  /^prisma db execute\b.*drop/i,
  /^(?:sequelize|sequelize-cli) db:drop\b/,
  /^(?:sequelize|sequelize-cli) db:migrate:undo:all\b/,
  /^typeorm\S* (?:.* )?schema:drop\b/,
  /^mikro-orm (?:schema:(?:drop|fresh)|migration:fresh)\b/,
  /^knex (?:.* )?migrate:rollback (?:.* )?--all\b/,
  /^drizzle-kit push\b.*--force/,
  /^(?:python[\d.]* )?(?:\S*\/)?(?:manage\.py|django-admin) (?:flush|reset_db|sqlflush)\b/,
  /^(?:python[\d.]* )?(?:\S*\/)?(?:manage\.py|django-admin) migrate \w+ zero\b/,
  /^alembic (?:.* )?downgrade base\b/,
  /^flask db downgrade base\b/,
  /^(?:php )?(?:\S*\/)?artisan (?:migrate:(?:fresh|reset|refresh)|db:wipe)\b/,
  /^(?:php )?(?:\S*\/)?console doctrine:(?:database|schema):drop\b/,
  /^(?:php )?(?:\S*\/)?console doctrine:fixtures:load\b(?!.*--append)/,
  /^mix ecto\.(?:drop|reset)\b/,
  /^supabase db reset\b/,
  /^flyway (?:.* )?clean\b/,
  /^liquibase (?:.* )?drop-?all\b/i,
  /^dotnet ef database drop\b/,
  /^(?:migrate|goose|dbmate|sqitch|atlas|tern|diesel|sqlx)\b.* (?:drop|reset|down -all|down-to 0|revert --to \S+|schema clean|database (?:reset|drop))\b/,
  /^(?:hasura|nhost) .*\b(?:delete|clear)\b/,
  /^convex (?:.* )?import\b.*--replace/,
];

const findMigrations: DoesHarm = (call) => {
  if (isDry(call) || isTestDatabase(call)) return false;
  const line = [call.program, ...call.words].join(" ");
  return TOOL_COMMANDS.some((expression) => expression.test(line));
};

/** Code of another language that talks to a database itself. */
const findInCode: DoesHarm = ({ program, words, input }) => {
  if (!/^(?:python[\d.]*|node|bun|deno|ruby|php|rails|psql)$/.test(program)) return false;
  const code = [...words, input ?? ""].join("\n");
  for (const [, , sql = ""] of code.matchAll(
    /(?:execute|query|raw|unsafe|exec|run)\w*\s*\(\s*(["'`])((?:\\.|(?!\1)[\s\S])+)\1/gi,
  ))
    if (losesRows(sql)) return true;
  if (/\.objects\.all\(\)\.delete\(/.test(code)) return true;
  return (
    /\b(?:drop_all|delete_all|destroy_all|dropDatabase|flushall|flushdb)\s*\(?\)?/i.test(code) &&
    (words[0] === "runner" || hasAny(readTold(words), "-c", "-e"))
  );
};

export const DATABASE_RULES: readonly FindHarm[] = [
  raising("D5", [findSql, findDocuments, findFiles, findTools, findMigrations, findInCode]),
];
