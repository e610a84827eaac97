"""Direction numbers of Sobol's sequence in up to 1111 dimensions.

S. Joe and F. Y. Kuo, Constructing Sobol sequences with better two-dimensional projections (2008): their table
`new-joe-kuo-6`, here as the primitive polynomial and the initial numbers of each dimension from the second on, 16-bit
words in two planes of bytes, compressed.
"""

from __future__ import annotations

import base64
import zlib
from functools import cache

import numpy as np

MOST_DIMENSIONS = 1111

_TEXT = (
    "c-rNBe@G)))@Uk~N?BG{SJzb6R9B~~YcttQCY#A*vzbgblgR`LA|fIp5=2BqL_|bHL_|bHL_|bHL_|bHL_|bHL_|bHL_|bHL_|ay5fKp)5fKqzo!js{1"
    "HIq(z4zCHHw!y;bI(2Z+;h+Ga~+yuDVnEfN}wo8rYM@$D4G%66vZ%-7yh3KP!!9{5%Zg(VkQ*L$4wB%NSeSL8!R?|5*4Kka5#dMFk+b+b0i8{Js^<d?G"
    "(-Os#w`&{#y{l%w7|Tz`7EBCLWH`!XvPjb5&28|7IL<W7=HC%ij2sIZx9<=Bi17U{becu4e=}wr#HGG~K%oq^eZp!2F#SV$!*}o@T<CH?Xbh6mHFREER"
    "8lF#pX7@!+#bF+)e3I#6c_!F!(xE*h~!ncw_{=lR^nT=;PKvba)nji~VX{&GOB85wyM<`gCK^iGwDo|6@Qqz=wSIg6G$O~kaw<z@B2FQTW>F+~9)qwLE"
    "%a7^_@=XT90R+8LV7vz+Q=7W24hT(nT4hi_FOM#hFhlz-%sTwZRX|7`=kIJNgHbxVT%Da&H8_!FLs>LGU5T}=2RGV}%qU`swtyQprAs2L=)RH~L+S7tY"
    "b5=0Kh&I*&Jl6uA6x9h>lyJ+VdjM{hXQO$^adO{6KHWY6yjIzar{h_ZDvI;b1N<VaH3Z@1V#TD7ViHBgt-ByAl-%5Uy=SgvRl|MfJO-+yaKqx&Jy1^x!"
    "d}s%2`5s~de$ieM_6C}?yLfw6dj3|paD1Rh*wPqUFHJw_M(piL0}6L6@^idHlF3HdcNer%{gLC6=E^S3?B@|>dQ<@Db?SSHC_!XRHmvXrv`3~<&#Yt^>"
    "A&RU^v!V;kIRur%3Fe;2&ppUvn?~Ci-;YY{6VX%Z|eK*(JC{#-*;8Y?@yz=kUb5MACRkxE<Ls@rhd0xpHs-`*M-&f}<l7PLLgH-QyXYL-o<mr<cG<p7A"
    "#vJpmTo?QHJnU^j+wpPg<y%*71jNxXDkc+6i}j!iutnOAHwm<zC9svjyqM`VFZa$jnJ4|0t4CMMc|J4QnE?JC_wm_2mhc4`AKC{md`+I46yqi7?mcB1t"
    "HZh?vyG;ZhJ0fAgxE(^F`Ko>+kQ95=Yn9Deg%ZeVf5oI?56;V&23og`%w#?Lcf`CkjCP&uS<0ivcMW`y8*+_!eOCf*bNKXnxP4E|UZRgbht45POgRu^<"
    "4N{<_x^biz?u%D^p{f2sAYF`9Bsc5Eh`y_Opr~LIFfc)VIGKA6d}6$<ac1X%=!n{oY`c8|mhc{Bw>b!AiPP!Qz(qDl4oB$?$`b7cqoH_O_80dfaEDT&z"
    "9`5ffqlHQqB@bC2R9)^6P*ilrj4RmN1`M!cGd)nsp`~fP;CX#)FNEPacLKDl9fYGU7-aK11%!u<kM^B;RQ{~@Sl$C1N$7o^09-%Q_u^Q@p+$$z@V^v+>"
    ">fes(?&jb@p*s2bM5KU}WXq2^&*BuD`w{3U|R!jr*IISs<^1OyA|?<id$5x%janx6s_pw1zbs>TnSVj2ew~uI7}3e(Q?oxwWJPm@50@gPR9EfPjlv_w-"
    "Qx#A0cMRpI?PupTm7e_G-@1}RZI&5AsF2O2GU19yRiN4QOv7R!fr8534?1nZjXk_ReSEm}=YHJ)wyU_Vx>IiEi`_k;D|C9SjHKa>SJOU09iD|5%?fKhU"
    "CCo@OA6>#YeS}Z9k)4(3GnzzZ-(9Ac3ci>(Aom(!}1Kg!U>|A)aXaLUcpz1Ds4<(~OgQhbt-OV>sfM4Kh*2YVvIUwHD9dBn=`7V5G!RDj7p2I!3XI1od"
    "9A$NU0dW<=iRP2d>I>jKtLHQ>tUO$S&2VTngM9hIJ?JdMg!}k|69F!Q^JSfnl=@^?s+mUku%y)uCP8&`CqmnRm#Baqk|W-^82B0{B6*HSALF3$lq=v^="
    "q}F$8U)qXnbqBqO>B%-tj!!#`Q%RZ#w}&!32YRtM+Ir}jID=D)0I-k%j8o7(8DoGR(x%)6~M))vt+ycv>lwL<ZE3`&INnnTV<8a9Cyw%2(#!>1~SeQGs"
    "K4q6-5fWxdeDjo3*`ER=Ej2PuG-Tes$vrjEjTMuh<$NJSSd*$yoD7ga`QM#k$<##S}#>TDWmK;(cb}?7XM0d!o2N2K<~<A>?On5c{n7>bbh^4lkUS(;7"
    "BL50A4!`*<a~dtT8}Mie3vJS{4`s{s|4z5dXuFQ<vb63&L+=yI?XU>H85tf}dwgWz<PW|XUkePBswcj;vPRQU+p1?6_E<WDk_AWKxd{BmY1I1QqzCCVr"
    "6wZ?g{XuL0yk>!vUK&v^r;;Fnj=YWJBiNf;Wb>tLe)xkCSUbdZ=#KX$cX>P0&VgWNYXn9)qY~6yqnL$cb$M)S5xPH~=s$PA1hNyv8XvuRsSk4h`G3q4s"
    "X<GtsLW{=GWZpvv<WSbs>Br%X1kkTInoc`XOBsY7xw<^@ypRL(BWrZU^wDw=*cm}BEOG6*OMy;J%YDwB4}!jMk{$`X1n+A>NAv_&c{zR80(Z(9MYDAU1"
    ")Xs38k4pAR6EoS=19?UTt-H+A1nk<WiWiUIzV_XNWSLtR`Aq<z!mmi$~B9?XC~xsTlYS!fL_Sa*uv)0?H0(tgUjg4T-iD%@sBDq=b4TZI4>_|6fET>%*"
    "cdc*+{k+c&WPvTg@tdv8Sz&2RT=T?30)JTY=nBD0|7dJEj5sa!m0QxO)xI5yL4@HZ->qA!CGCL3zn+8AJjy9quSAJ**~ip0~JarmPM^Lz)fNcVu07IzV"
    "nEU%-Fsy6=K}QR2<3k4EF5xi2TN{8H=G=rFNGJQvhk)DhsP;T0yOndm%;AXwL423NNV_zgMS+sQp|!nq8leyDe)b_e7~lXb&8ySxwjsPL`%r`qxXoJBL"
    "r<aJ@~4DQk3b9Ofx?k_<tI90z0Nk<P~Wv})!#9z@sC#6)MrzVa>fT5L^_JP!j4vw1hIP*IOeIAf`mWrKn(m6zKG^Z9W1h`-Z$e65h?1*m_Y$+o$N|jz9"
    "fz_uNXGUS|+G!EUJm<<y4Q5n;-Df2#v@z@30XY#>cj3~Faa>0{Riw7Yxp>zP@tYKO9nppDqr@{NQc`v}3Bf1Ld#R|0WtJfjbNFk<h9~M*fCkMKSS=V^-"
    "2ywWP$f^LM;C`A>SS|<qx)CK#B*~MV;g-wu(6crZ|xaBj9-AOqnwHC?84!DV!J%ytK9MhhD4ZBnQ-Xu)QO#R7ndwORXgGCG^Q#ue|Fvjw#D!XdyYpl<T"
    "iDRavGOoPwgStiwQgD9_l-za27V+Xl$JqWRaMb32%)wICB6G<qFk3PTdxQd@5o0aAQ$pDSV4YP3A*Est!U?&6UyKzxL1!K1g=*L;j{a;xKtyFS&58wt+"
    "4v;p+MJ(UX4g%8EbKKO3(aB`#4A?*zxpIEbz6jMgt}^~)gJv`33C?Pw6X)2zFC$c%YFUuf1_?CrZexdS`EvQ_#0gN{eII!8p$U0Yw^LAJF}b)tVDpb_}"
    "E9NJ2$B(73JRYNz2kqGgFYF_Zh-&;cB`aq=P=3)V2S<w+Hk;<RCA&WBqm)CeFoi%`*h(5nGxnqF8pdG;?{jBezk0OW6VZ8<Ag8<D&J<XKkX&CO*3{B6M"
    "eI1h|yi8Q&u21EIAED`(fBk%PXaRJGm$OQIMRgG0a<a2tzFmEQyozUB%JA-W@SLPSVogCw=ENoNoKZ?TIwv~|NF)(!8q))pO;uoY=s@LkOW9IGGm%zjb"
    "^FrF91mB(v*C)#dDq3p5a^N^^U9scn@4cwyb@H8Ti3j8SD^K5py9}WTzSI6j3Zi{%6Hx07@(t~JAAx0RXyMWf(70oZ+30;$4ItExo1XRyhC}Q7NXu<`q"
    "IEsDUeSk8j@btJ3L^3L|taHJ#5Z;HAt)As$XqZcUn4tbE*<}Y91=}&J$Z4ZrbWx<6DnFD0F`dS6)6<bPAd!h{=T-w`QiHCK%%q_kyXHs|ew7w61x+eZW"
    "kL&5Pru<Y}TW?;6rzGefNz^-!@d^`J&fB1hgVYMyU}yHgndR1-DIEWzPuXJh7bw|i>sYpy1-ck$VrZBQA>nVsvqYx9c05YA;>RdzOa>A+q?W0Fq)!WqP"
    "uJS(|VxzE>CQIh<K)hk2PZFvHCz{Km^?yfptF5!W%+L-M3Ki5H2OH;0r^@XebA#g8(Gk0_7WIQzvYuI4(@Xb`nI|Wzbh&QY(HdY-#q`(@nmaC4sRWS%`"
    "XFT;qk4>}V5innDAU2Y_vRs=-GFnB>;ZvT|61Xf`@MdoIe(9|Q(UE<c*UQ(QHULLue{I=7?^gdL3CP8arr1$@e+D#D5~|O0JaTLwOtKPHH=nx?T_S|Ja"
    "#%b+JYS5E2wSJ6@v(qA0V%s6ae<B+wlC06_HjqX{f~3%2Aqdi<2zJS<=i0&+ucG=&P~#DLSk(-*mi8xpIyQAsIibMwRl{|fh}=JiL$Jxt_m<jlw$BT4?"
    "|i@AzZL&!1w%WzZs!J9w)ocAC+Qe0(ihAm`8m!HNHZUR=+FfQPV3GU?T4k6D+s60`8J_B*N2Y2`!c+H4wgjaenHtB@+%Oh}HRF&*Mx3L_|DOb4NcWOS("
    "YBl#n#nGIbN20iSG!`fI)MiFt5*yujrvqf5nyt6&8jasIh8H@|reB!r8W=8vB~HKf2s8J?Js@Eo<3kThDT?wOpr8tVg5=Cl@dIeC&d2(lwd1=YiPo(sf"
    "M(Btm>lEaya8)CeLSgw?J`|KdbQqr{L?BcaB$>Boo@{^$lH3M!zcJP@Cr=ueka0FGU>`(U0$C^P;RmzB!Q2x_yxCPc%6T9$U<<9}*jcD-HanG-;0I%h6"
    "#4vm}3tL3ZoVm}_>haSqDYI~m+u@q&X^8b%!4nystZQg>fV?SzP%JV${^SEoWoY^J12^ZJA;4zP6$PhPcXL(1c+Ootw*Bx@-Ax>dBi?xFDFq{BW~7EcR"
    "F~8G`~^aOgAF!b<Q0eSNtPd=PU|+4Ej);_;;xm>&ZZ6_dtfC#)UdgFaBTnr)l<HZIxp`|ff3S!M%JZxRsumT&oJ358PUm#N$_Zbzh$?6G-h6wc?(+1Y1"
    "|AZ2i8DF9dWfjKJs+2PZE|`MSft@+W?-GH$;y%^XP4mNX<zoEqZCKZ&XRF;^(5p0kPKuhm*y+<)cf6&m~c(9_@bF&^kN8dz;4hWuLn*CApR&a4VI`VD1"
    "EPlyxhOeIw2OWfEyP>(2)UuS}JJ$RwCM+}gG_w?+J3q|jR-&KE$zhf@6Y%I2p3^p1E?Ps8d|_DB&J2Z1u8>lYcdv<ueodSEPTd}$#G&X4DO86#9Ik`G#"
    "<h(?9m*Xk_>_Bts3{C3T^-ary&F?(?>k`e46=b<CY)L?g47ocX9%w)sH<Anmkr>K&zFn7-Zl?yY!$*;KVt~9R+oP;MrA3ir$K!#?De}3NKT&|c;Dv<sH"
    "W3PHet%M7vgvj{3$GCyS%=CoPhG**X5-O66?n{k13-*F%Abbj!OKnV6&qEGCiEPrjcFVdPpr=&ApTP~}FMEi@2WfuvpkJ*6ZRB*v+4EX+`4B}C-rQb=K"
    "R#ZDWAkdNy(@pMfka?5UBs>3oosJ`8PxSUF{8Y*(g7Apkv)Um_p#Lph?pqW<##rIDIJ{;gU`?+?!3wFka%1`EV~e%SV&G)jS^LJL`x&f_d_dPwSbaw*0"
    "{=Jg=MCwLww@&c~VC6&;w-Qlp*>Z`E|$Amr<Bw#H!{~XLg%10dyIGvQ*o;)V(=NtT0^>Ni_^sFD(P7S%tffx(gaSkW+9R6WO{b$eTM{C)P!dvDGcTT)`"
    "Ic{0aH2J$9i5z7Vsj#qX<2*I#lVRx*>a{6aZ+bv!MQnqj!G`h~yEoL9i+a!Sr|?0lOk^n!^HymGI*^Wr5C0F_V#W&Lo354lPGSq}xGor&2lJxMB*Lf!0"
    "YecyE<_*`D{x=X#u-qC_;Qjz1;i<03@ht@<YL@{BZ=TzI81*6IsvHYETO*>a1%U~pd%afLv@x~D_FKjs8C+PF@4N!Te4LS2Duv9Tt4)q{P<J2#04aMVq"
    "n}pYH<9aslcKdjT)B=1}^UN3HRzC#^(Ea)-|FD^tc?SH{l&0vuyn8!%3-*wAH8$t(k9#(rz_W^4)0K8n^|Yjstb&y~i^^K31vi}CA(S;|j4v{y5u%M$m"
    "Yn&VKhp&@c*=0|SyPUJqiOIaqNEpO$dd<?nZ-m^d2i`;mE$z81e9Hm)-Lb$m8{P+ksMWw6jWTcU$;SRl+j(;YHs!2%3c>y7M0yt%ipPr4U!Bn(NI?A@1"
    "T6cK$*d6R~H>O#nL>uKbZ|o^LL?0-zwZK8;lgyoX$3t?!bwtI9ExJZPoTb{w+vKPVnWat8fS^5wswBANGg3`J5+kAWE!w;Iwm!ts?f$5mxp$0=t<n9-x"
    "zR#^@wfQ9I=W3DFs;Cv=*fC6oNgOs0xvXC^X=AcGQxP|9;t9)D_pyqgyyIZM%a3!PgFCt}0=(ZR%!8i724k;0Wvb%LiO)dG4%d9<qx=E?KiNp70a^vpJ"
    "AYgrGNLD3-=-rSY-#RrK0kn4o539YAPoZO#6myInhj66&c$x>P($@Vt6agJ2-`O4GFwvJJ05uCRvBP&-o1$|A+;CNJ7UKIMPFEYW|(7IpBJRacNwyt61"
    "aC@_#FK1J`kV}}!ajMsO)3|QBKGOy=X5g>xIv3}@R?!uYdN8B#8wO|`9c}8+H>cKC+$8*p)OTHu9XVB~+=#lLy3J0GFmxO=PB8MTHv85KU-C)CFTxuQs"
    "at=43glCd#^-19=7ws^0Err`=qgC^2hkc*W_3mKWWgw&ZiN$ZT<PRO)!1EeJBbS8xfz#z^NpcllAXCztC5Y9cx;4Jivz9-#^3R>0aY7Q=Ib`=_BvLZAW"
    "vtwc)>{L*+kC$8p(|1+Apog=R5hEBos=xTK5w7Tk{YGb2`h9=Z7YGFVBE#jrOcx`Lh;W9B7BYBzqeksnP`0FgZ?EPWqpw$8+_sfkC*&=V@EgoTRp8_<f"
    "I^l}%x&YKn$8QP+Do=ID+Bcg-BSJbE|TDi)9`TS(x7Yv)vi<eRFq$U7QdD%vY2wOm0LUaoUHzkn>6X=BN1xZ+H@ZX`BYuGufnYH5#jl3p0yIC5S-8Hsn"
    "3@I`H|GAiYpiUAUW@h$Yo=2Ko93BSc))99tKHkmOBRC9q86}pS9CTB^Y;!JfNTz9y~R*1Lpm!9bpPs#EPkPtTE%vuf_&&DpCfpe>w!szBq$szFwif~!Q"
    "6?NxdLGGXmO8<#Fd#V#E7_8<H{b!z>$t#A)M6i7FOej;kCDP^L9PG{)bvo=P^*V3a#B?~P=sp3rB6;=YRBE~2mjk|v3l{ARZN%Fz3%**uqTbnpV_GZ%P"
    "S9HH*mtTIw^osAawKE-Ai~}!8-Wu_)L1Mn>g~U4hI@BVN}#<pT7S|>>c47gW}&*Fc&YzuMaUfw)jUS(he+=w-Yi~^uI<-Db(qnkIoE~DqmSc@V3#yGMD"
    "-i3(Yh6|<+@lu+uhmV8d-<?lURPO=q|Xuc||lQ%C_{+Uk~-)gI!V*^_Lez`yn%?GYtyu5Q`u4ro9VL2j&&7W+<-Yw_e9c6D8Voe_Xz)F6P16b*0?ZxSI"
    "Vyr$|LklFEuY8^0`+ka}dO_;K5LAG`$*#Ho62xc5bCE~zIG2IFgziZ{1z!3wi%++S0lQ9QKOPO`X2esf26PxEshIjvMO@vtMU7mvZ+3JKv$Ma+4*PZCD"
    "TsO}qFyPvMyBpt9saBW7@#ys1k`a%`vN(&{2gHR9U**MpvRg4ex-;gR_nBVQ&pNwYSlA66Lb6$1p%N+|6Df($|Fr{{!Yvi=<ycRl`c+#Lh#~Kl~uXrr?"
    "RC1Aes75UacRkArq=BY2&0w8b1x^vT#5w|HTgw@VtLr%F$Z_;UTz=j>f%HZYeJ!g=Nu2MfBwdwowbS>wzSQ0DH7zTYcH4&<@;ZooMq^&_=H{Sh8mzvcw"
    "U%fV)w5eOU_<ms-lH$BoNYo7ElR;WW9@Pz5`qe!sL{=RP2A>W-2wQ1QTATschPbc@x=~b-8@@3KkYpOdC@)L)#W*fVlP2nXkAV&)h+C0Lrs|HBZX6k0h"
    "hNGD#0A%uQh{$z)F`0nVjy+lhv^nJqEfW(nf=)!4#}s2Z^Nushfo|?Y52hDq0MmEFJHBX%2(_iP75buKFTYhpe1Ycr)VP$qAKYz?>c`(T`3dGs`)^d72"
    "OAG}n)5d*IbfeJ^?}?i%gCYa~@aoyv{2vb3j#^b=_+np1P`o^2!D1KL%7zn!&n*Z(!wi9Th<CFj*BsXWK1#!}Idm6!#)O9dO0z<g<8$0E^Nw|ug>6YCG"
    "I5G-8sptVshbF32!=J5KaYv((aLy}=j%{RSgt!(cd@Qh8Ac`AI)mVKxNQnaJ6ZLE6eV38)()tI*E(vIgBMB-t^*6Wh|{k(QkB{i6u(9lVJ=a`e&9#@^l"
    "cKD7SLZojVD9euI)OEguNjXW#+;^Tu<O#@WXo+>_K6VuqjaHHB1z)<kQFGdJQwtI)hv~k`(&ERnIuc4HTH9LIhsTeaLFTz&Q+;-0>@Wa@C_&(}Sbtte<"
    "uYXKf~u#A?z2uyXQxP3%L<F(#lk_;zCdzBIRbHIa4iWn1jfu%n8b*rF^6BPWKzeJzBJT$OniWwI()v02UB2aDP1=5HhoLUtvgbOH)>mRXR@HT3grT(c{"
    "T7w*iR@RtrVAH0=s3(ii_mOiROYAF2O9hi5_W2#*(B~Bq91Wog>Ti`0kQT5mG-_1T!eSoZd;2in|bKU)WMBpR-A~IihWk7cX?iYDfkzXC38d-%pP~qm!"
    "Z>(pH&%zdcI2;IvoR>}k7-<`0rOr_|^bCu&v(hDkIUpx5ie2RVySZxAJCVTLzWzF11SFb>guHR>Ln&p9HE%Se_h#P=0VK(~ok-1J;yL13^3+M=9k6dV0"
    "hBkKnusjShp73CF;!9C~KzCv?(YN0bT<|B;)qg={qqooNyiOXHp{NR(Db0y%$Bxm`3-^$2{D}%H-MZRVx)Ywy!`?Zc2d5Ns>bvaPc;$^zXy)Wk6oOYA4"
    "Q7}(>&RKj&^$?FB7uHnqxzX?d=_*Mr?cw|9ndWiQzfh|@r4##oljOYv!%OtQfioC~JVy|jhWYNkle)_dVha?mWPg284D5l`7kpAUUvnLo6Mw5IOziS_V"
    "7loGsgrw(ru+9VN-v;V!O6kmmht-{XWJFn362+UecnYzhmNGEtCcsaPB~+q^iq^ibL6yRae;=HH!SUSTy+M{>lXvC9}^7fO;4qdN`!Piy^g@C$_(ekh!"
    "ki6?xptS<{}g9lBk9$rl9b)vlyZ^iOJ6%5blZxA^T<ZSTL`rBfqx;s!Y7#&}OQ$Z?oIGNUW%4pI<euTpGQkM<o`_?AA`4^ONK~hC5@-GtqW<HBI6Px0&"
    "qTNh9?Oq*KKOS<hVN=@|4-Xhp2c=Q4A>_qQaHb7a?evwREwXW*yoY0l1I+}*3}*XJ=x{YKH|jT?H8=Jt7&fvwHp9B2olb7juMwd|8jFIZEBtKG{AT$M5"
    ")<uvb6I#=k@GwATM9Iw?qb;sky%f*n7(Mn}U$L#*WU<rxVct*TEIc1||z%$WP)qcFUP<CETdU=WF_EBMLGSN%?t*hBz=sw>Y>VtG$=K^P;^8Dy2DT^6g"
    "R)fBoIov)%bXv~S{G)jt^V6WWQmA}s)yE&t%#*^45GrBM?zi@qNJm=Bk%kX;ceYPSkIJ8w{pG2tKJY}e(UV!H*E_Tc!WT8}SPac(Y^*Y*>l|y?2<+ADX"
    "K)~q4rlrG`Q{LFE0Nj`SGlDwUQhT{5^?I0!jp+|{V)MKZF>7lCb+cNok4o4Qf1cZLB@V62eeoVN0+t5#m9Iq$O~(v+OAo-T`wXLi=^uE%jk<zO77iR+B"
    "UmmWGfXU`jr!Vk69%Tq=sfDhi0l<K6@J(AkPcDWsPkVGZ~*C^=aMp(ld4Dt(zrbawtABm*?Ks=g1BM7wM4?FOs{&zq`ZNi49?4=LGDaD!Cq#p3AZbsqA"
    "sF!m8`1%FgL)&<D}UJh#<7Tu$8s%h-T2c2&@GmGMHd7q8aP$V=@DAWN(vSI!)-+*K7ok%-pVl9y0j#S#luB9V*c^-eG~YYPG3r|vHfuIwz*!`bA8N!)w"
    "Uu-M%%<pEA6lnkGh4n8QPQp804S6!OFMQMWj(;}5~`6aEr7sQ$>-emjp?0ro|ABmIM+!Jart7C4AyjWBH)xNWPx&*Qwigwqy?+!PH^;J@}W0|#{^22J0"
    ")Domv*=0xJed*agDH?mL!?i7!ZKv?Ah&J>Fx@NmRM>{9Jil!!yTV;wP{cI+X(JYIljgt&{XXh-r-k)8YSqFbh$!x{N@Rtga4uiE3gZ}Zk=bJ4(i+C=tQ"
    "B+b}br}WwN%8(xGYW{G=%u7D?xl9;vm+~W<)kGLRE!Oyz4xS!^pt#DPe;;KvI5;TN(`w7Ed|R5#n3O{G*`06HPl;EGX)k!bUGGFQePIc7YWZ2wOtvZHN"
    "J9#Xil^|Hhf=PSGz^xEJf?T+1yxS!HbGaxOk^9v9F(g0gdC8^1MX;p?~n|Yh}nkyD^_A3S1NG=4@(unytL7yaTIfh*^43XXj(l3+b)trGr_AovC4n-OR"
    ")>ueh~GaG88D?YiJD${sjr5Cxrdv0{;z)9tJ48V@LrgD=g<Om-h_N6G6EXZdWXFDK>(&0z$$>7IsMOnm{!nJQNoI{4@H3CMHI@FJ9-s*c|cR)Caqe%Eo"
    "IxYPx`MpGaB((zR0c4lEeDO>v7PFH1CK?`Jjf)RF$0}GypJm}govOoWHZSlpUkXiztaK&Fj+q1?Z+@BB(EZv+uhn|;7AI{x+8mc&ZK3WI;Gu(AXd&V(4"
    "3h^1I#u`tumku-OV^TA9hUb$@j2OBghSsef3KhE@&Ft3~Yt@nBtWmW{AyKUCdI(B)_bj~gWL2%Y`|RQQZZn@mqawf2nRO%&l3tD$C{^l0myezX;??Bxg"
    "X*<Y*U=!1m|!A4QgnNpGfX-w-kQd{>GI;#G|B3mHO)@?;b3YBXyKv-C#AlLt&=r!+Mx6J+&N?Pl6Ne!FS+KW2lGSl#*Sz7(5%-%ZFtT|4ba)J_;N|_6+"
    "=go;pmqBN_X95#RF;hFd1cMO?PwiPeiU2Z=KS<E+<GYN0cfum&<}Zwa_e}=}2jL&U#nzsfX;RmK@xA9N9q<U8rLCai1+cANtxZbNjY0YjS(0O2INXJif"
    "6PaWUhj3Miw)`N_se?R|G6>B_oGE+6i_+fL|wvL@YC-G_&=x0Afk2v(m}Rg@PUl8jdKRy6Io`}P-xNd9LA5xY-ksp^TZ{npkpM)7#e9M**71%L5a#X>x"
    "`1&~Z48r&YKuUj|<iKKnvaO-7H1APHErt6u9qqX%l%a7!3uCr)hZfzv~D3B_uTW(}B@5@34_-Q6sd4EWE9QL@$TLD_zcy8}MJ_(W+7hLw%z{P@l1fmPd"
    "h-d{9-C}-2CTY$oO^YqXy%i_$3X_)n(y5s|>cb@4m10bXxP3a5RRf%G2#vXSXR*#yJ?ZQOeG|d5+lI$hl6@wW=ksi~(?3FLEDovN(|XW8I|fp&vt?r4O"
    "7V8t66v)D%d3-HQ!isXM62ZZ7@Nu&d^!L-A<CtGU;JS30$Q{j?PldOp@+IWBlS8#s_h(W@^SF~hjv5_S*=`X%)cRbBqR$|V^bur99f!*8(!t|EX0%Eha"
    "*3)dPgsl4f0kcSiI#}=)T%>ljuUo-f$mxd)orUF0nZ~Y^Zl26(g-Ycd0it5grL;llD+BI$u-&Jlm2_?oal04NS8474Q~}5$VkQ&e4MG{d!Wdjt9dDtyZ"
    "dRAXRrCSCKWCm$OPdiOA?RFLUK3^zhgGwz&3CPnB(v7t(T^uN~)<qT?B$Oo}uVZ#w;bmD`XTYI3uiQg#L!poL`0b?Rzw>oHe2AYR+2#!J=MQ3<I-n-Rr"
    "D8+F|y-jJj~PCd8J?DiHjq&6e*`KxXEN`Xjf0*3b>GCmd@aFE8bBjdC#ub?**s%fkm2~FN;!A8SRo>q#bYx$$Q!X{}!%WR2v&eK=cPV!qp3}?>8N{mz%"
    "dA-NfZ+)q$jW!jKYCYxYt?JKLV-Ue}j%eW-(^%A!Y9#R>TP?+ck*=C<(p94a*CSL`Yx4kkwCPERwMBJb9)=*Ap<Uj?@>XiQ9Q+Yw2Ez|^**(ta26@fl4"
    "c>j(xt*1ENoFHf^%UfEub0E)12YK^Y_4Rlc8nd8w_t{mU+9$b8c#@Nhz^ur&90B{e*vwM!iC4#?Xl{~J0dTMI(Er_eN{sfiBx>G!*fNG0#wsXvr)oSZ7"
    "r5fspN^Qw|+J@)vQ(N<fRc)8J_g@^%i-^J7l3^zcsULG8b}R&hQtEJg;Qu$8t#ZoXeEjw5~Rxhy<~Es5f_RS>Pb|r4*l#oO>*}Q|d?+Cs7-?6gGOh#!1"
    "HKXzaP(-sx<bBfV-S?{IuTD2*?Z=cWwh847O1bGL{O@Nsi%tJyL4E~&o=iJI;F_}rH-B=6wDvz=4)UO73f?&Fxf+|ic3N0JQ&ncjAKV1ztl;2jRf=-5M"
    "O&y43GhmAHSzhrbg?C>NG@ucF}eb>gcOnrU8e%l^6Jg5wk>ZFjHT8P%L`+4M%T&TgFb6HYdRZ02}Qu$<R?~Bq<L#hX%#{CIj;96`a?_m8>Te3*%+kzaH"
    "Q(0k;9gH)LgP^xutcbo?e_Zb#Bd?+<WxHamX0>6G^m7dQq2&C^JvT#MEjp_=+($<|Xb!|L%yZYlV@%p1FaKQ00?%xgn6*#dL`jjJhtr0`jT_=u+^Ng0p"
    "7sXk!`JFha&m#|F06kh-M&Op;_DLwz3kTtL0!X*ho*YH<i!|W>E1fcttki)TNeyD7Y9nbsW^E-&qyUl)fKtB`QU+Qh4G5BIZbON<OO;((wb+ijD*X`n|"
    "!IHZKQKwNkRRLF=FM;sqDsDcwA!If^cs4e0wnCx`A|gqyDj+U1>143p_JTS8X-a4Bk90kyz0ulxL5Z-F{gGJHc?7b87*iVgM{HL;I=bq0Sxd0N(#_av;"
    "_D#i+<%JAgZ)HPNxKIU?nse(jS~hN<4AI{lp7Efeh2t{z7mm*jzRyk*lz7uMB30b3Yv;@lDIU+t6Ne2f@j>9}Ly#YZCJaOip1D-2HhVL!&Jj8;f1hXQ$"
    "4z|o~uZ3nA#G67uD1@3t*qcAZ|>hlVp<MM5cPq9U$lF#T}k()ruSx$Ojls_}lm5i=dkhg%WDt7jToz1l{$8dSMRlPl%GbE;!0<utj{LnDhNIW{*wAWMP"
    "&TH)^zTeN(<n8p1?+n2i_-J;~){LvJaDu!Abh>r+sc)uribQgnJHV7q`o^FRO&M{2y?nD#bqN|r8#F(Ymz<hj2W!LWej(XACunmQ<gYG5O=kyPV>y{nP"
    "2&VlWK!)<y4)}1^;ei59%-Q0o(1x#DPS6i;znsf2Aou&*jE+PXJ!=gjyDuhN0r|G2l7fv4_4&(HryL-7qPUIJJd`o9TNO453TYobB#lbUSEvZ9wzHW+1"
    "__~;ElYX>NO+P+wRUG$eB4-te|TSF5CA(|4e@ym=AC-$F=Q5Z~20Wx)Y{k3n~P>5u=vEtE-I#@P?Pw=zK>BH|IN_1kKUK;ACvn=-Ve*vhECvi}R~S#uE"
    "99ogmFq6|JK__#*(3(u(Vn^(!MImn6D~HE!0Q*7U7CkvBCiBepQ?t~humsjr*5jg35RhG^1bP_$C<vT)@VEG=a?Yu8<UC!PBaVteSE#@eC9xe_P&+m9G"
    "MeBC$uRO}~GC;O|K>Lz#FL!{~_loxHOWAk-k@~&GdYwK#dS?mGN#c_<kvwmS<&IR!xCA%`~g5wKA4;6%GaiRO(mpmz{B6T9K<H#-aW#y47qv+0R)`RtQ"
    "RU7G+X*{)EmfXD=AWvU{6&H7jrO^TCVo;J;-`z4>yD_{->R=Hy)$Qmg9a|?}+h6v4o7>@A-XmU(Dsl`y50!<E$va-18M*NZjj;>z7hA#B+EqHY@(AinE"
    "EB32zTQd5{3CfJ<*F*y*V?<A8S->aDVRBl-E?Ph6ba}{>vy7)6Pie}30j)%TlM<MqZ(6s@<J2iRps1QP4$R{QzL^t+fcuzlz8gssX94zo&i2wjTAOjm&"
    "aE91#os<E-LIg$lvMw`gbgecy6+ae=4ma9S*UzYQCs55eFS(Wu<)Vj%7zqzk04v=~ILq&qzSsjaL&**RzooI*;_Z7=LydGqioL9a7}cRB~o2=V&VXgmg"
    "dXMn1Qv?qr7Kjg*@Av{*dQck@Vk-j2XaU|{y93My@k>~YnPHMp{iHS&tx=~&yHG>W>3=5Ts}bbFnh8E})hHKb36t_x?LBIKR7uWI+cdUClQ>@_bl`Hc@"
    "#QU64e*y|8oG0H#t<}*o0I$Y?9b{vX65)Vr8vWd|OM^Rfosk4WIh4fih_%1~{p)tOFXmztWtBkyo4Jy+{^Kg{(fjHI`pldUW+cMy9QYby@ioEnh23({o"
    "B#8|LmE-k`&(oyR7I&3p&F)rc3nai5Tk_d~vFVO8kYrk}U0W{bUsg!R-9ghcod>SH&S&znmSXouiu<brmj56Bq5dEHu>S8~{`c3ne)~V4wfqlP{MVQ*|"
    "HD208_e{7^+nPD_i+F9Z~xO->VLTQ|Kc3BSIPV4r`7f<65ssw_0vLs3zmBQ74P=VUrqIYrQutjl=YjR^ee38_0#&TPYMCh{~g|MexhX-%Ko~s{q+>DpV"
    "n6Z`kS!dT!sKF)^Fnd_Ofs8W?JTNeNyb}vTp%c5Ull^%PimgmHs9GLT34I$f2xh$Q-62%ZPq|g)wg?4M|lRV$rvMr_k>fgp;-)oHY8KML01${mr%Jss0"
    "0P2)_mWZe=)h6WlAEme+6E&Y{ad-wc9BFcu1ZThTX*_Ofx`q=B}feP3xX)s#bWkJh5Stp8yz3p$GxucguNw)9v06#BNJZ~N;vZT%*^i9a1#gLGtD(vf-"
    "k=I<5@rh!gJbfzPoAR4|+Gll82BK%hBKm2Y-_^s$H7XB5dm4Drf<<VX9NTGP7BRrB59{EJH7JbvUZ{w$#|3Cx&wtw??2*AIM-;QWwzfF%7;WrZ%WGOH`"
    "ZxH@B$V9(EIA4FaB6x~L@bnwRH}w6Ald@X>0}R4rp%H$xFU5Ql#*|@1KZR(veiO#DMF<9+(P|Trd<y8^U%xFh`kfV!T}9vc_g9>z+<qIL#xPa^ogL9*M"
    "=*#^3V$OyDLbMWe^Ur2-WTCVYfa+bqI11Py8jl*3HqiG{Oh;LE3}qH@CXlu_p*L_trg)%-{xJvMZEep4K&7MMR+g`c<t-&6vAW5x%i3`eOs*}l4lW}7r"
    "`?K-i}~i@%$A(i++E_56K{sC4>k6j=pL1ZAI|34bhCh>35i)?~pO2-XY78hQMsEVCKD2|6yRYTP3t5Eg`*pE8ze@Le`u@GiHvA<dBun1qc$-Bs)T2LkL"
    "Wpjy9zbIi`jA4vAFycZg?JG@#ymhxhpoamR`VEJ8rj3`Wi30VgB*w#g`P6J=zncp0gjAR{|r!E0zVU>P*9zeW4d2+S0$_eipA@3H!zfmL{qukk%X{RR)"
    "xF*Y<~27B*uwDcaUh=MpuE9g!s1%cTV%r^x|B7+A4LO>%hQ+mHgf@H;mwC|C(v!fXs_dPlf8kj+Viq=pnmTMJd5opFVFlazADpo}m*(4qzu-H{(@vSPN"
    "!1e(l;Lw15gJ<a1fvL|QkZ)trz{Y5pHVsKtI-0S)(U1Y8G^8bIXbr<5FpCwVwxSs;tszzk8unWskyu+kqN}Gq;#A}#meG%h0`Vi#tn`mKqr?N&fdgm<("
    "z&+|q-Ge*&O5L(L|_!{Kql=K8^i(*94vjpQSv9O=%27f!UOgb&fY%ZQ0EgOltMFh8(PDn8H%Mpq4U^3p<8&1)=+|uZq9}Vc1lO6X&q6(=twBgz`|H`oN"
    "4PwM$<l{Fi!Z4^ViSle#Fn%!=Ztd!3bE4!2TJXfcuQoTLb521~MD0fjx$SZb2}RKc~>Z^2R{dXg3fK-u?|K7M=b#WG?N@->|C`|AxqWW1tahXAvaDacE"
    "=}90-z5<Nk&f<U2HHv%dKox&r2v7AQk~_#4hO5G|A~?Rzw53IZC@g7!C@E7+U}i|w-$-GqqdDAq2aIcpl{MA@R<>O=xAs!m*4z>rqE;Y2D&+0mShW}Uc"
    "F@d52;qj@Lx29guUhwsqt42AYH^+QH;6fHWjANu6P(d|3518rx2z!6;f59qXv_5+Rr&>UrX>-Ygjji1pRo6h}!;|k*kWLXhT)8E?BoS9!zKOmm*_8-vs"
    "7(2qrSXGSW%?GrO;rSnMeaMC=vsu&ee%uEal2*ILh2+I%pgA*Cb)g&MSr^i9#)0P8G!?IV``(50@~z~;iut-b)JMNVSnNXjU-r`xWj5xOP76Fnav_zb7"
    "_>Vh(k`5RAzCa<x{e?z+h-TPhYx>8XJ9}69T}Q5%isS})j}hhSO1P&IxqYkoq>@N78}d`9R&<*8d_(wf5wpM4m>AX|Bh=?@BWTmM>?X~X8VL7Y34H;v1"
    "w?XdGR`0M`5Z#vM{75yAdbee(y&5o@RAp`(n7U`<Btjn*QF6*uwG%C;dipBh9ffXa|d6M?09o7#h+1XSB{PS`kh&x<hj;&tse-<whnXO+$1t^hY<&?<G"
    "9PJ1{3~v>W>X8{Q%P!;eS`YyuilHseQRL*7_^MB12^_9MCnM*R^7J+>clw)Ga_q|;v^fimq!#3j4qM_gS;>r4x#{`i;TKHi;Tf5i9j-Cy>zBAhlvnF;z"
    "<`Vpsl#*a9h;XH_+BJaUDd%6edAMNlUA18kD;2qweIV;C{u$0?9xE`W;aKA|MAeo@;Xq}zGBa8SJ@6KC1$Omw$2m1#J%`wzxM5o=B=0UbD?ZZ!Kcj5g{"
    "IFzD)!WC2XCmdbsKVg~RenPY`pMSz>C6DIpX=n!vlSU&fR{lL6*&RP&kNyE+F{7`aaQzw4X-cw)X|W*6XgZzx36}$Ow2n@Hhaox9i+r(N^5XPFMkAZef"
    "=2c?tQRF&oZ-b@^m{ZindZf{d$bPz$kB`RfmXaYAELatF8$GqsZRIeSmOiQf#x(kve+?BhW28wjd!<F=(J{Zh_F~~)MtD?!TJvzC0PD}PQ-ow2hy=O>O"
    "XMKY)9)X=`>zPzv49Q3&o=m^%m_wQ*U{UCCxx1*7^!*S`AM52Tp(x)if)9#Al#wXvEkM)zJI<2kznMXa}1epN|z4AFi~e`H+`kKlu<AM)D!6!BS|>%D?"
    "kr3;o`QJ2sjRYrywDoNwa&Y<PEzc@Jm@)6gS2tu&f5{U*lAq`$-au{7GjDhfUv>!<yU?kN4!&**%1`Db(nyW?jZpCL%vOl^Kf{7k3O9Gm|BXI%I~Sj@="
    "y71E4}1pQ~+q2YhVg&za0v-59$#=epJ8CT;G)wG>^i)pc_7>kgOAT9jIznqr!BdvO?`H?jhRX^^a=zi=U7(ecieDouJ+88vlSR8)b(|G5{x%3CTyY;;v"
    "N2=*)WM?dX94jJ7^K!q(>+EQEQycLas5cJ0Uz+?2uH9OHLALJAhhLB%W0+rXp3nY*tlL`!jZDrUoHo1Tm%r?eMi%-l-hq4b3-;)*kS5RUX}{pO6;Wnpg"
    "J>ND`)Hk&|M&}zepz%r%EteKGfYH_sa0YC?Ps+Ia9>OgAj&Lh0c4@yN_d^f1#m9vK#(?(N04^gcYlF=6Tp2|gvH9Rult#FzIhwKCArUdWMMF!0u?~s-u"
    "5Ygt<)=|so{S)gPmgV?&)d(*PGM;wiCubaYSvyqcq1qab?N+Ph7qH{7)nWw1U@JzW*n>Kf4`|Ec!ojrBnDPF86Y1WG0n=!6N<>Q7z~g(oSJISu|&As)`"
    "_4@y$PR<fsRcK8Ruv@k~eyqIH(^AnsL2XdO)%2-0*VK^zG<&^nui4kEox6M{I#v<Gp{%wS0Sry!26-v)6chvrQ6$NRBw-v_bPM{_3U-=R5MI)!$y+WCK"
    ">GcfP}g?q17JhHs|7xI5^-=cLCi{`+G{|j-6qW*>Rs`m(zwtmFBBU((`!#n<kYjO&vMWhi<Gxz-$l8LwMzi`v#<G--2Ls(1=NJk?(`yJlh`Ywd$ETO+-"
    "*CE7D%jXcTxF{hMvG7y~*C#jxNu@hNn4d-n#ct_%cN^sh;i|lZu~@_q(yBBqgl&(C<|wo~`H$|0u(jcSMYJ&Qf5qL`?|(&Sw|@Q=x9F%}k=JI^(K?2v5"
    "KfjykS1jcT4%G0zam?g{^?iTN>VUoZ!CC3fA|%5!qa}mbsOVX+<lgRMLv#I(HR&!6-IhwPeUUM%Z712W(i~er-qTtr+p6ND&so@$ubs%ld<q&+^78x&D"
    "m_27W-eYFw7gY1I^gN$QJPL!#Lke594|=!U@qS+TBL87>iX1<Eo1A8{&)T_ziK_BL9YL)>|3Pv4Z*=ZV79@A-NW;2&bLm@yNm;ER660t+O*$jPuR+zhT"
    "Y6l(7~LL0WC^e?$65OTQsT@OZ@X>~A=R=6}N$lf`t3=@G;i{!;|U8fpZ$ag+$|z|j$8`QD(Bm3kvaFqb}HEaHa<?kdO;-0F4U9q7*y+!T9*M~sd}Hs-q"
    "sw%!gjGVM(Sd#Cpi#A{nx1lN%8es&IxOzlTlOu>@>jqEk`_TRW_MEx6ao|pcO<K0jHMmE`w=B%{s6^p6i{AV<>bKm2U4ed@-_Ba2=y%+1h5wAH5ri^Cr"
    "?r8|8899FZH|}jp2n)>{Xg@oh7DXeGjpBQMAH~%>JBH+qD6Xk~j^YUSyD0AQqaEN+_oF!5{e(u;o7WNf4|Cyl=}Z)N#y?=n(k)S};phzJX=y~Y<*f~^q"
    "xm;~IfD&Bvg~)iBS}tIe#b3;?RV^t(tby$Wz^p>uRs2d&X;EVj=lD~-*N0_{~c$$Xk?{?cX&UW_B)QD6+|a(!;qFV9ghS=Cv8pt^gHfeeMI|Nc>|3Y%J"
    "DnSuB|bYHZn>K`Hr_*4Ev7HF~l?5_c3(0yd{RK(w|~z2S!CWX{(O*V_7DKtRnYa3|q{%F{C-PBZf0Y5z#`6?_;=P_Bn=SiTcZa@6enr4MAEMF%4m%)8C"
    ";T>}iNHGq#cbz*49EflvGH4;1$Z42BfZIx|1|i0AC-e_+W{5Tw;=`vc3h`Ukeq+#fhf`0fvMf4uDvO!fB|r||9%Eak!<IAi$q2j(@xVxiM4c#eDf2d-a"
    "R<2aXjAIB9|Eso;}89}mdKE$z<OYy%{&(Vmnyp3aT@d^o@Gz-SUyzXbpb-DwMOr6F!+4MNhOg|$mR*{e6ii-`cvsw`(#aOvG4wvXSuD5dd>~F+4)<5-6"
    "v;+I`Pjr8@_UB)^G=HMgiY$UO^MF5bEy409k_k%q6L+0OG_u&g!@IwIg@o=E^(T%z5S{Rd{ZAADvS=O6q`&_YcY5FbiEBC^Fi!ey0@)DCnn0&zKH<4HD"
    "w?wkVgh%oZ3$dU(9p<2$qBTd?JxUTmA^n*5{ORAM+9j_l)-x&v^#V^5=hSY_X%9bv|*fY>=>sFjVxyLgw|1v{eJ;c*yd>"
)


@cache
def _words() -> np.ndarray:
    planes = np.frombuffer(zlib.decompress(base64.b85decode(_TEXT)), np.uint8).reshape(2, -1)
    return planes[0].astype(np.int64) | planes[1].astype(np.int64) << 8


def directions(dimensions: int, bits: int) -> np.ndarray:
    """The direction numbers of the first dimensions, a row each, scaled to `bits` bits."""
    v = np.zeros((dimensions, bits), np.uint64)
    v[0] = 1
    words, at = _words().tolist(), 0
    for d in range(1, dimensions):
        polynomial = words[at]
        degree = polynomial.bit_length() - 1
        row = words[at + 1 : at + 1 + degree][:bits]
        at += 1 + degree
        for j in range(degree, bits):
            new, power = row[j - degree], 1
            for k in range(degree):
                power *= 2
                if polynomial >> (degree - 1 - k) & 1:
                    new ^= power * row[j - k - 1]
            row.append(new)
        v[d] = row
    return v << np.arange(bits - 1, -1, -1, dtype=np.uint64)
