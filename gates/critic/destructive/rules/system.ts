import { hasAny, isDry, readTold } from "../options.ts";
import { isDisk, isVital, lossAt, placeOf } from "../places.ts";
import { byLine, type DoesHarm, type FindHarm, raising } from "./rule.ts";

const FORMATS = /^(?:mkfs(?:\..+)?|mke2fs|newfs.*|mkswap|wipefs|blkdiscard|format|diskpart|badblocks)$/;
const PARTITIONS = /^(?:fdisk|sfdisk|cfdisk|gdisk|sgdisk|cgdisk|parted)$/;
const ONLY_LOOKS = /^(?:-l|--list|-d|--dump|-p|--print|print|-v|--verify|-J|--json|-n|--no-act)$/;

const findDisk: DoesHarm = (call) => {
  const { program, words, writes } = call;
  if (isDry(call)) return false;
  if (writes.some(isDisk)) return true;
  if (program === "shred") return readTold(words).operands.some(isDisk);
  if (program === "dd") return words.some((word) => word.startsWith("of=") && isDisk(word.slice(3)));
  if (["cp", "tee", "cat", "pv"].includes(program)) return program !== "cat" && isDisk(words.at(-1) ?? "");
  if (FORMATS.test(program)) {
    if (program === "badblocks") return words.some((word) => /^-\w*w/.test(word));
    if (program === "format" || program === "diskpart")
      return words.some((word) => /^[a-z]:/i.test(word)) || program === "diskpart";
    if (program === "wipefs" && !words.some((word) => /^-\w*[ao]|^--all/.test(word))) return false;
    return words.some(isDisk) && !words.includes("-n");
  }
  if (PARTITIONS.test(program)) return words.some(isDisk) && !words.some((word) => ONLY_LOOKS.test(word));
  return false;
};

/** Programs whose subcommand, or option, ends a volume. */
const findVolume = byLine([
  ["zpool", /^(?!.*(?:^| )-\w*n).*(?:^| )(?:destroy|labelclear)(?: |$)/],
  ["zfs", /^(?!.*(?:^| )-\w*n).*(?:^| )(?:destroy|rollback)(?: |$)/],
  ["lvremove vgremove pvremove lvreduce", /./],
  ["cryptsetup", /(?:^| )(?:luksformat|erase|lukserase|reencrypt)(?: |$)/i],
  ["mdadm", /(?:^| )--(?:zero-superblock|fail|remove)(?: |$)/],
  [
    "diskutil",
    /^(?:apfs delete|(?!apfs).*(?:^| )(?:erase\w*|partitiondisk|zerodisk|randomdisk|secureerase|reformat)(?: |$))/i,
  ],
  ["nvme", /(?:^| )(?:format|sanitize|delete-ns)(?: |$)/],
  ["hdparm", /(?:^| )--(?:security-erase|trim-sector-ranges(?: |$))/],
  ["btrfs", /(?:^| )delete(?: |$)/],
  ["asr", /(?:^| )restore(?: |$)/],
  ["flashrom", /(?:^| )-\w*w/],
  ["tune2fs", /(?:^| )-O(?: |$)/],
]);

const findOwnership: DoesHarm = ({ program, words, places }) => {
  if (!["chmod", "chown", "chgrp", "setfacl", "chattr"].includes(program)) return false;
  const told = readTold(words);
  if (!hasAny(told, "-R", "--recursive")) return false;
  const isWide = (path: string): boolean =>
    lossAt(path, places) === "outside" &&
    (isVital(path, places) || ["/", "/home", places.home].includes(placeOf(path.replace(/\*$/, ""), places)));
  return told.operands.slice(1).some(isWide);
};

/** What ends the machine, its users, its timed jobs or its firewall. */
const findMachine = byLine([
  ["shutdown", /^(?!(?:.* )?-[ck](?: |$))/],
  ["reboot poweroff halt", /^(?!(?:.* )?-w(?: |$))/],
  ["init telinit", /^[06](?: |$)/],
  ["systemctl", /^(?:reboot|poweroff|halt|kexec|rescue)(?: |$)/],
  ["crontab", /(?:^| )-r(?: |$)/],
  ["userdel deluser groupdel", /^/],
  ["iptables ip6tables", /(?:^| )(?:-F|--flush|-X)(?: |$)/],
  ["nft", /^flush ruleset(?: |$)/],
  ["ufw", /(?:^| )(?:reset|disable)$/],
]);

/** A file without which nobody gets in any more, or the machine does not start. */
const findOverwrite: DoesHarm = ({ writes }) =>
  writes.some((path) => /^\/(?:etc\/(?:passwd|shadow|group|sudoers|fstab)|boot\/.+)$/.test(path));

export const SYSTEM_RULES: readonly FindHarm[] = [
  raising("D7", [findDisk, findVolume, findOwnership, findMachine, findOverwrite]),
];
