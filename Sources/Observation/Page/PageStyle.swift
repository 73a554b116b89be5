import Crypto
import Encoding

/// The only style sheet of the status page. The content security policy permits only this one, by its hash.
enum PageStyle {
    /// The text of the style sheet, exactly as it is between the tags.
    static let css = """
        :root{color-scheme:light dark;--ground:#f4f6f8;--card:#ffffff;--text:#18202b;--soft:#53606f;--line:#d9dfe6;\
        --good:#147a45;--bad:#b3261e;--warn:#8a5a00;--other:#5d6b7a;--blue:#1d5fa8;--empty:#e6eaef}
        @media (prefers-color-scheme:dark){:root{--ground:#10151b;--card:#1a212a;--text:#e8edf3;--soft:#a3b0be;\
        --line:#2c3743;--good:#4cc38a;--bad:#ff8b82;--warn:#e9b949;--other:#93a1b0;--blue:#7ab8ff;--empty:#27313c}}
        *{box-sizing:border-box}
        body{margin:0;background:var(--ground);color:var(--text);font:16px/1.45 system-ui,sans-serif}
        a{color:var(--blue)}
        header,main,footer{max-width:1120px;margin:0 auto;padding:0 16px}
        header{padding-top:20px;display:flex;flex-wrap:wrap;gap:4px 16px;align-items:baseline}
        h1{font-size:1.5rem;margin:0;overflow-wrap:anywhere}
        h2{font-size:1.05rem;margin:0 0 8px}
        h3{font-size:1rem;margin:0}
        p{margin:4px 0}
        .soft,footer,caption,.axis{color:var(--soft);font-size:.875rem}
        .state{font-weight:600;border-radius:999px;padding:2px 12px;border:2px solid;background:var(--card)}
        .good{color:var(--good)}.bad{color:var(--bad)}.warn{color:var(--warn)}.other{color:var(--other)}
        main{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,330px),1fr));gap:16px;margin-top:16px;\
        align-items:start}
        .card{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:14px 16px;min-width:0}
        .across{grid-column:1/-1}
        .fault{border-left:6px solid;padding:2px 0 2px 12px;margin:10px 0}
        .fault p{color:var(--text)}
        .fault code{font-weight:600;font-size:.95rem;color:inherit;overflow-wrap:anywhere}
        .tiles{display:grid;grid-template-columns:repeat(auto-fit,minmax(135px,1fr));gap:12px;margin:0}
        .tiles div{display:block;border:0;padding:0}
        .tiles dt{color:var(--soft);font-size:.875rem}
        .tiles dd{font-size:1.5rem;font-weight:600;margin:0;text-align:left;font-variant-numeric:tabular-nums}
        .tiles small{display:block;font-size:.8125rem;font-weight:400;color:var(--soft)}
        dl{margin:0}
        dl div{display:flex;justify-content:space-between;gap:12px;padding:3px 0;border-bottom:1px solid var(--line)}
        dl div:last-child{border-bottom:0}
        dt{color:var(--soft)}
        dd{margin:0;text-align:right;overflow-wrap:anywhere}
        .wide{overflow-x:auto}
        td code{overflow-wrap:anywhere}
        table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
        caption{text-align:left;padding-bottom:4px}
        th,td{text-align:left;padding:4px 10px 4px 0;border-bottom:1px solid var(--line);vertical-align:top}
        th{color:var(--soft);font-weight:600;font-size:.875rem}
        tr:last-child td{border-bottom:0}
        .bars td{border:0;padding:3px 8px 3px 0;vertical-align:middle}
        .bars td:nth-child(2){width:45%}
        .bars td:last-child{text-align:right;padding-right:0;white-space:nowrap}
        .bars svg{display:block;width:100%;height:12px}
        .plot{display:block;width:100%;height:130px;border-bottom:1px solid var(--soft)}
        .strip{display:block;width:100%;height:26px;border-radius:4px}
        .axis{display:flex;justify-content:space-between}
        .key{display:flex;flex-wrap:wrap;gap:2px 16px;margin:6px 0 0;padding:0;list-style:none;font-size:.875rem}
        .key svg{width:12px;height:12px;margin-right:6px}
        rect.good{fill:var(--good)}rect.bad{fill:var(--bad)}rect.warn{fill:var(--warn)}rect.other{fill:var(--other)}
        rect.blue{fill:var(--blue)}rect.empty{fill:var(--empty)}
        .now{stroke:var(--text);stroke-width:2;vector-effect:non-scaling-stroke}
        .grid{stroke:var(--line);stroke-width:1;vector-effect:non-scaling-stroke}
        footer{padding-top:12px;padding-bottom:24px}
        @media (forced-colors:active){rect{forced-color-adjust:none}}
        """

    /// The source expression of the style sheet in a content security policy (CSP 3 section 2.3.1).
    static let source = "'sha256-" + Base64.encode(Array(SHA256.hash(data: Array(css.utf8))), .standard) + "'"
}
