import { hasAny, isDry, readTold } from "../options.ts";
import { isDisk, isVital, lossAt, placeOf } from "../places.ts";
import type { FindHarm } from "./rule.ts";

const FORMATS = /^(?:mkfs(?:\..+)?|mke2fs|newfs.*|mkswap|wipefs|blkdiscard|format|diskpart|badblocks)$/;
const PARTITIONS = /^(?:fdisk|sfdisk|cfdisk|gdisk|sgdisk|cgdisk|parted)$/;
const ONLY_LOOKS = /^(?:-l|--list|-d|--dump|-p|--print|print|-v|--verify|-J|--json|-n|--no-act)$/;

const findDisk: FindHarm = (call) => {
  const { program, words, writes } = call;
  if (isDry(call)) return undefined;
  if (writes.some(isDisk)) return "D7";
  if (program === "dd")
    return words.some((word) => word.startsWith("of=") && isDisk(word.slice(3))) ? "D7" : undefined;
  if (["cp", "tee", "cat", "pv"].includes(program))
    return program !== "cat" && isDisk(words.at(-1) ?? "") ? "D7" : undefined;
  if (FORMATS.test(program)) {
    if (program === "badblocks") return words.some((word) => /^-\w*w/.test(word)) ? "D7" : undefined;
    if (program === "format" || program === "diskpart")
      return words.some((word) => /^[a-z]:/i.test(word)) || program === "diskpart" ? "D7" : undefined;
    if (program === "wipefs" && !words.some((word) => /^-\w*[ao]|^--all/.test(word))) return undefined;
    return words.some(isDisk) && !words.includes("-n") ? "D7" : undefined;
  }
  if (PARTITIONS.test(program))
    return words.some(isDisk) && !words.some((word) => ONLY_LOOKS.test(word)) ? "D7" : undefined;
  return findVolume(call);
};

/** Programs whose subcommand, or option, ends a volume. */
const VOLUMES: Record<string, RegExp> = {
  zpool: /^(?:destroy|labelclear)$/,
  zfs: /^(?:destroy|rollback)$/,
  lvremove: /./,
  vgremove: /./,
  pvremove: /./,
  lvreduce: /./,
  cryptsetup: /^(?:luksformat|erase|lukserase|reencrypt)$/i,
  mdadm: /^--(?:zero-superblock|fail|remove)$/,
  diskutil: /^(?:erase\w*|partitiondisk|zerodisk|randomdisk|secureerase|reformat|apfs)$/i,
  nvme: /^(?:format|sanitize|delete-ns)$/,
  hdparm: /^--(?:security-erase.*|trim-sector-ranges)$/,
  btrfs: /^delete$/,
  asr: /^restore$/,
  flashrom: /^-\w*w/,
  tune2fs: /^-O$/,
};

const findVolume: FindHarm = (call) => {
  const { program, words } = call;
  const told = readTold(words);
  if (["zpool", "zfs"].includes(program) && hasAny(told, "-n")) return undefined;
  if (program === "diskutil" && words[0] === "apfs")
    return /^delete/i.test(words[1] ?? "") ? "D7" : undefined;
  const verb = VOLUMES[program];
  return verb !== undefined && words.some((word) => verb.test(word)) ? "D7" : undefined;
};

const findOwnership: FindHarm = ({ program, words, places }) => {
  if (!["chmod", "chown", "chgrp", "setfacl", "chattr"].includes(program)) return undefined;
  const told = readTold(words);
  if (!hasAny(told, "-R", "--recursive")) return undefined;
  const isWide = (path: string): boolean =>
    lossAt(path, places) === "outside" &&
    (isVital(path, places) || ["/", "/home", places.home].includes(placeOf(path.replace(/\*$/, ""), places)));
  return told.operands.slice(1).some(isWide) ? "D7" : undefined;
};

const findShutdown: FindHarm = (call) => {
  const { program, words } = call;
  if (isDry(call)) return undefined;
  switch (program) {
    case "shutdown":
      return words.includes("-c") || words.includes("-k") ? undefined : "D7";
    case "reboot":
    case "poweroff":
    case "halt":
      return words.includes("-w") ? undefined : "D7";
    case "init":
    case "telinit":
      return /^[06]$/.test(words[0] ?? "") ? "D7" : undefined;
    case "systemctl":
      return ["reboot", "poweroff", "halt", "kexec", "rescue"].includes(words[0] ?? "") ? "D7" : undefined;
    case "crontab":
      return words.includes("-r") ? "D7" : undefined;
    case "userdel":
    case "deluser":
    case "groupdel":
      return "D7";
    case "iptables":
    case "ip6tables":
      return words.some((word) => /^(?:-F|--flush|-X)$/.test(word)) ? "D7" : undefined;
    case "nft":
      return words[0] === "flush" && words[1] === "ruleset" ? "D7" : undefined;
    case "ufw":
      return ["reset", "disable"].includes(words.at(-1) ?? "") ? "D7" : undefined;
    default:
      return undefined;
  }
};

/** A file without which nobody gets in any more, or the machine does not start. */
const findOverwrite: FindHarm = ({ writes }) =>
  writes.some((path) => /^\/(?:etc\/(?:passwd|shadow|group|sudoers|fstab)|boot\/.+)$/.test(path))
    ? "D7"
    : undefined;

export const SYSTEM_RULES: readonly FindHarm[] = [findDisk, findOwnership, findShutdown, findOverwrite];
